import { ConfigError } from '@lead-distribution/sdk-core/errors'

/**
 * A claim: the right of one delivery to handle one event of one lead.
 * @category Callbacks
 */
export interface CallbackClaim {
  /** Id of the lead, a UUID in lower case. */
  readonly lead_id: string
  /** The event's canonical name, or an unknown name as received. */
  readonly event: string
  /** A UUID that identifies this delivery: only the delivery that holds a claim may release it. */
  readonly token: string
  /** Lease of the claim, milliseconds. The claim expires after it unless it is confirmed. */
  readonly leaseMs: number
}

/**
 * `claimed`: this delivery has the event. `busy`: another delivery has it, and its lease has not expired. `done`: the
 * event is confirmed. @inline
 */
type ClaimResult = 'claimed' | 'busy' | 'done'

/**
 * A store of handled events. A delivery claims an event before handling it and confirms it afterward. If the process
 * dies in between, the lease expires and the service's next delivery is handled. Callbacks carry no timestamp, so
 * confirmed claims are the only defense against replays: don't delete them.
 * @category Callbacks
 */
export interface CallbackClaims {
  /**
   * Claims an event unless it is confirmed or another claim's lease is active. Must be atomic under concurrent calls:
   * write first instead of reading first.
   */
  claim(claim: CallbackClaim): ClaimResult | Promise<ClaimResult>
  /** Marks the event as handled permanently. A returned promise is awaited. */
  confirm(claim: CallbackClaim): unknown
  /**
   * Releases the claim after its handler failed, if the stored claim still has this token. A returned promise is
   * awaited.
   */
  release(claim: CallbackClaim): unknown
}

/** The largest possible `limit`, below the maximum size of a `Map`. */
const maxInMemory = 10_000_000

/**
 * Creates a claim store in the memory of this process.
 * @param limit The maximum number of claims, from 1 to 10000000; beyond it, the oldest are evicted. Default 100000.
 * @throws ConfigError `limit` is out of range.
 * @example
 * ```ts
 * import { createCallbackReceiver, createMemoryClaims } from '@lead-distribution/publisher-sdk/callbacks'
 *
 * const receive = createCallbackReceiver({
 *   verify: { urlSecrets: [callbackSecret] },
 *   claims: createMemoryClaims(10_000), // for a single process; lost on restart
 *   handle: event => store(event),
 * })
 * ```
 * @category Callbacks
 */
export function createMemoryClaims(limit = 100_000): CallbackClaims {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= maxInMemory)) {
    throw new ConfigError(`\`limit\` of \`createMemoryClaims\` must be an integer from 1 to ${maxInMemory}.`)
  }
  /** The token and expiry of each lease; a confirmed claim never expires. */
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
