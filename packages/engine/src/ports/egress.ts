import type { CallbackHold, CallbackRecord } from '../callbacks/callback-record.ts'

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

/** A try: what came back, and what disturbed it on purpose. */
export type EgressTry = EgressReply & { copies?: number; fault_id?: string }

/** Nothing was sent yet, on purpose: it is to be sent after so many milliseconds of the tenant's clock. */
export interface EgressHold {
  held: CallbackHold
  by_ms: number
}

/** The one way out of the service. Never throws: a failure is a reply. */
export interface Egress {
  /** `callback` is what is sent as it is kept, for those who decide by it; it does not go out. */
  send(outbound: OutboundCallback, callback: CallbackRecord): Promise<EgressTry | EgressHold>
}
