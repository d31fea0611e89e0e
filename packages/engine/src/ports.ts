/** The time of a tenant. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
}

/** The source of ids. No two calls get the same one. */
export interface Ids {
  /** The id of a new lead, a UUID. */
  lead(): string
  /** The id of a new callback, a UUID. */
  callback(): string
}
