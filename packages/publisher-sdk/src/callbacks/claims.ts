/** What is claimed: one event of one lead. */
export interface CallbackClaim {
  /** Id of the lead, a UUID in lower case. */
  readonly lead_id: string
  /** The event by its canonical name; a name that is not known as it came. */
  readonly event: string
}

/**
 * Remembers which events were handled. A callback carries no time, so this is the only defence against one that
 * is sent again: a database keeps it over restarts and processes.
 */
export interface CallbackClaims {
  /** False when it is claimed already. Must hold under concurrent calls: insert, do not look first. */
  claim(claim: CallbackClaim): boolean | Promise<boolean>
  /** Gives a claim back, after its handler failed. A promise is waited for. */
  release(claim: CallbackClaim): unknown
}

/** Claims in memory, of this process alone; the oldest are forgotten beyond `limit`. */
export function createMemoryClaims(limit = 100_000): CallbackClaims {
  const claimed = new Set<string>()
  const key = ({ lead_id, event }: CallbackClaim) => `${lead_id} ${event}`
  return {
    claim(claim) {
      if (claimed.has(key(claim))) return false
      claimed.add(key(claim))
      const oldest = claimed.values().next().value
      if (claimed.size > limit && oldest !== undefined) claimed.delete(oldest)
      return true
    },
    release(claim) {
      claimed.delete(key(claim))
    },
  }
}
