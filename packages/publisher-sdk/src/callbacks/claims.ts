import { ConfigError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'

/** A claim: one delivery's right to handle one event of one lead. */
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
 */
export interface CallbackClaims {
  /**
   * Claims an event unless it is confirmed or another lease on it is active. Must be atomic under concurrent calls: write
   * first, don't read first.
   * @throws ConfigError `add` of a {@link KeyValueStore} returns neither true nor false.
   */
  claim(claim: CallbackClaim): ClaimResult | Promise<ClaimResult>
  /** Marks the event as handled, for good. A returned promise is awaited. */
  confirm(claim: CallbackClaim): unknown
  /** Releases a claim whose handler failed, if it still has this token. A returned promise is awaited. */
  release(claim: CallbackClaim): unknown
}

/** The text of a confirmed claim in a store; that of any other claim is its token. */
const confirmed = 'done'

/** The largest limit of claims in memory, below the limit of a `Map`. */
const mostInMemory = 10_000_000

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
 */
export function createMemoryClaims(limit = 100_000): CallbackClaims {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= mostInMemory)) {
    throw new ConfigError(`\`limit\` of \`createMemoryClaims\` must be an integer from 1 to ${mostInMemory}.`)
  }
  const claims = new Map<string, { holder: string; until: number }>()
  const key = ({ lead_id, event }: CallbackClaim) => `${lead_id} ${event}`
  return {
    claim(claim) {
      const { holder, until = 0 } = claims.get(key(claim)) ?? {}
      if (holder === confirmed) return 'done'
      if (until > performance.now()) return 'busy'
      claims.set(key(claim), { holder: claim.token, until: performance.now() + claim.leaseMs })
      const [oldest] = claims.keys()
      if (claims.size > limit && oldest !== undefined) claims.delete(oldest)
      return 'claimed'
    },
    confirm(claim) {
      claims.set(key(claim), { holder: confirmed, until: Number.POSITIVE_INFINITY })
    },
    release(claim) {
      if (claims.get(key(claim))?.holder === claim.token) claims.delete(key(claim))
    },
  }
}

/** A key-value store whose entries expire, such as Redis or Cloudflare KV. */
export interface KeyValueStore {
  /** Returns the text of a key; null or undefined if there is none or it has expired. */
  get(key: string): Promise<string | null | undefined>
  /** Sets the text of a key for this many milliseconds. A returned promise is awaited. */
  set(key: string, text: string, ttlMs: number): unknown
  /**
   * Sets the text of a key that has none, atomically; returns false if it has one. In Redis: `SET` with `NX` and `PX`.
   * Without it, two simultaneous deliveries of an event may both be handled.
   */
  add?(key: string, text: string, ttlMs: number): Promise<boolean>
  /** Deletes a key. Without it, an event whose handler failed is handled again only after its lease. */
  delete?(key: string): unknown
}

/** The options of {@link createKeyValueClaims}. @inline */
type KeyValueClaimsOptions = {
  /** Prefix of every key. Default `lead-callback:`. */
  readonly prefix?: string | undefined
  /** The time to keep a confirmed claim, milliseconds from 1. After that a replay is handled again. Default: 90 days. */
  readonly keepMs?: number | undefined
}

const knownOptions = { prefix: 1, keepMs: 1 } satisfies Known<KeyValueClaimsOptions>

/**
 * Creates claims in a key-value store. They survive crashes and restarts, and several processes share them. If the store
 * has no `add`, simultaneous deliveries of an event may both be handled.
 * @throws ConfigError a function of the store is missing, or an option is unknown or out of range.
 * @example
 * ```ts
 * import { createKeyValueClaims } from '@lead-distribution/publisher-sdk/callbacks'
 *
 * // Redis: `NX` makes `add` atomic.
 * const claims = createKeyValueClaims({
 *   get: key => redis.get(key),
 *   set: (key, text, ttlMs) => redis.set(key, text, { PX: ttlMs }),
 *   add: async (key, text, ttlMs) => (await redis.set(key, text, { PX: ttlMs, NX: true })) !== null,
 *   delete: key => redis.del(key),
 * })
 * ```
 */
export function createKeyValueClaims(store: KeyValueStore, options: KeyValueClaimsOptions = {}): CallbackClaims {
  checkOptions('`createKeyValueClaims`', options, knownOptions)
  const { prefix = 'lead-callback:', keepMs = 90 * 86_400_000 } = options
  checkStore(store)
  if (typeof prefix !== 'string') throw new ConfigError('`prefix` of `createKeyValueClaims` must be a string.')
  if (!(Number.isSafeInteger(keepMs) && keepMs >= 1)) {
    throw new ConfigError(
      '`keepMs` of `createKeyValueClaims` must be a whole number of milliseconds of at least 1, such as 90 * 86_400_000.',
    )
  }
  const key = ({ lead_id, event }: CallbackClaim) => `${prefix}${lead_id}:${event}`

  /** Tries to claim an event; returns the text of its key afterward. */
  async function holderAfter(claim: CallbackClaim): Promise<string | null | undefined> {
    if (store.add) {
      const added: unknown = await store.add(key(claim), claim.token, claim.leaseMs)
      if (typeof added !== 'boolean') throw new ConfigError('`add` of a claim store must return true or false.')
      return added ? claim.token : store.get(key(claim))
    }
    const holder = await store.get(key(claim))
    if (holder) return holder
    await store.set(key(claim), claim.token, claim.leaseMs)
    // If two deliveries wrote, the first sees here that it has lost. A cache may read nothing after the write: handling the
    // event twice is better than never.
    return (await store.get(key(claim))) || claim.token
  }

  return {
    async claim(claim) {
      const holder = await holderAfter(claim)
      if (holder === confirmed) return 'done'
      return holder === claim.token ? 'claimed' : 'busy'
    },
    async confirm(claim) {
      await store.set(key(claim), confirmed, keepMs)
    },
    async release(claim) {
      if (store.delete && (await store.get(key(claim))) === claim.token) await store.delete(key(claim))
    },
  }
}

/** Checks a store before the first callback needs it. @throws ConfigError a function is missing. */
function checkStore(store: KeyValueStore): void {
  if (typeof store !== 'object' || store === null) {
    throw new ConfigError('The store of `createKeyValueClaims` must be an object with `get` and `set`.')
  }
  for (const name of ['get', 'set', 'add', 'delete'] as const) {
    const isOptional = name === 'add' || name === 'delete'
    if (typeof store[name] === 'function' || (isOptional && store[name] === undefined)) continue
    throw new ConfigError(
      `The store of \`createKeyValueClaims\` must have a function \`${name}\`${isOptional ? ', or leave it out' : ''}.`,
    )
  }
}
