import { ConfigError } from '@lead-distribution/sdk-core/errors'

/**
 * A claim: one delivery's right to handle one event of one lead.
 * @category Callbacks
 */
export interface CallbackClaim {
  /** Id of the lead, a UUID in lower case. */
  readonly lead_id: string
  /** The event's canonical name, or an unknown name as received. */
  readonly event: string
  /** A UUID of this delivery: only the delivery that holds a claim may release it. */
  readonly token: string
  /** Lease of the claim unless it is confirmed, milliseconds. */
  readonly leaseMs: number
}

/** `claimed`: this delivery has the event. `busy`: another one has it, on an unexpired lease. `done`: confirmed. @inline */
type ClaimResult = 'claimed' | 'busy' | 'done'

/**
 * A store of handled events. A delivery claims an event before it handles it and confirms it afterward. If the process dies
 * in between, the lease of the claim expires and the service's next delivery is handled. A callback has no timestamp, so
 * confirmed claims are the only defense against a replay: keep them.
 * @category Callbacks
 */
export interface CallbackClaims {
  /**
   * Claims an event unless it is confirmed or another lease on it is active. Must be atomic under concurrent calls: write
   * first, don't read first.
   */
  claim(claim: CallbackClaim): ClaimResult | Promise<ClaimResult>
  /** Marks the event as handled, for good. A returned promise is awaited. */
  confirm(claim: CallbackClaim): unknown
  /** Releases a claim whose handler failed, if it still has this token. A returned promise is awaited. */
  release(claim: CallbackClaim): unknown
}

/** The largest limit of claims in memory, below the limit of a `Map`. */
const maxInMemory = 10_000_000

/**
 * Creates claims in the memory of this process.
 * @param limit The number of claims to keep, from 1 to 10000000; beyond it, the oldest are forgotten. Default 100000.
 * @throws ConfigError `limit` is out of range.
 * @example
 * ```ts
 * import { createCallbackReceiver, createMemoryClaims } from '@lead-distribution/publisher-sdk/callbacks'
 *
 * const receive = createCallbackReceiver({
 *   verify: { urlSecrets: [callbackSecret] },
 *   claims: createMemoryClaims(10_000), // for one process; forgotten at a restart
 *   handle: event => store(event),
 * })
 * ```
 * @category Callbacks
 */
export function createMemoryClaims(limit = 100_000): CallbackClaims {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= maxInMemory)) {
    throw new ConfigError(`\`limit\` of \`createMemoryClaims\` must be an integer from 1 to ${maxInMemory}.`)
  }
  /** The token and the end of each lease; an endless one is confirmed. */
  const claims = new Map<string, { token: string; until: number }>()
  const key = ({ lead_id, event }: CallbackClaim) => `${lead_id} ${event}`
  return {
    claim(claim) {
      const until = claims.get(key(claim))?.until ?? 0
      if (until > performance.now()) return until === Number.POSITIVE_INFINITY ? 'done' : 'busy'
      claims.set(key(claim), { token: claim.token, until: performance.now() + claim.leaseMs })
      const [oldest] = claims.keys()
      if (claims.size > limit && oldest !== undefined) claims.delete(oldest)
      return 'claimed'
    },
    confirm(claim) {
      claims.set(key(claim), { token: '', until: Number.POSITIVE_INFINITY })
    },
    release(claim) {
      if (claims.get(key(claim))?.token === claim.token) claims.delete(key(claim))
    },
  }
}
