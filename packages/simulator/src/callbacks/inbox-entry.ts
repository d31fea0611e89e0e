/** A callback that a tenant's own inbox got. */
export interface InboxEntry {
  /** Milliseconds since 1970 on the tenant's clock. */
  received_at: number
  lead_id: string
  event: string
  /** The path and query as they came in. */
  target: string
  /** The signature headers, where there were any. */
  headers: Record<string, string>
  /** HTTP status that it was answered with. */
  status: number
}
