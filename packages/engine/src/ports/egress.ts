/** A callback on its way out. It carries `lead_id` and `event` in its URL and nothing else of a lead. */
export interface OutboundCallback {
  url: string
  /** Signature headers, where the tenant signs its callbacks. */
  headers: Readonly<Record<string, string>>
  /** How long the whole exchange may take, milliseconds. */
  timeoutMs: number
}

/** What came back: a status, or the reason why none did. */
export type EgressReply = { status: number; error?: never } | { status?: never; error: string }

/** The one way out of the service. Never throws: a failure is a reply. */
export interface Egress {
  send(callback: OutboundCallback): Promise<EgressReply>
}
