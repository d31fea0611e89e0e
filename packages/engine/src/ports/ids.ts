/** Where ids come from. No two calls get the same one. */
export interface Ids {
  /** The id of a new lead, a UUID. */
  lead(): string
  /** The id of a new callback, a UUID. */
  callback(): string
}
