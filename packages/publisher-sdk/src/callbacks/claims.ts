import { ConfigError } from '@lead-distribution/sdk-core/callbacks'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'

/** A claim: one delivery's right to handle one event of one lead. */
export interface CallbackClaim {
  /** Id of the lead, a UUID in lower case. */
  readonly lead_id: string
  /** The event by its canonical name; an unknown name as it came. */
  readonly event: string
  /** A UUID of this delivery alone: only the delivery that holds a claim may release it. */
  readonly token: string
  /** How long the claim holds unless it is confirmed, milliseconds. */
  readonly leaseMs: number
}

/** `claimed`: this delivery has the event now. `busy`: another one has it, and its lease runs. `done`: it is confirmed. */
export type ClaimResult = 'claimed' | 'busy' | 'done'

/**
 * Remembers which events were handled. A delivery claims an event before it handles it, and confirms it afterwards. A
 * process that dies in between leaves a claim whose lease runs out, and the service's next delivery is handled. A callback
 * carries no time, so confirmed claims are the only defence against a replay: keep them.
 */
export interface CallbackClaims {
  /**
   * Claims an event unless it is confirmed or another lease on it runs. Must hold under concurrent calls: write first, do
   * not look first.
   * @throws ConfigError the `add` of a {@link KeyValueStore} gives neither true nor false.
   */
  claim(claim: CallbackClaim): ClaimResult | Promise<ClaimResult>
  /** Records that the event is handled, for good. A promise is awaited. */
  confirm(claim: CallbackClaim): unknown
  /** Gives up a claim after its handler failed, if it still has this token. A promise is awaited. */
  release(claim: CallbackClaim): unknown
}

/** What a store holds for a confirmed claim; for any other it holds the token. */
const confirmed = 'done'

/** The most claims that memory keeps, below the most entries that a `Map` takes. */
const mostInMemory = 10_000_000

/**
 * Claims in the memory of this process.
 * @param limit How many it keeps, from 1 to 10000000; beyond them the oldest are forgotten. Default 100000.
 * @throws ConfigError `limit` is no such number.
 * @example
 * ```ts
 * import { createCallbackReceiver, createMemoryClaims } from '@lead-distribution/publisher-sdk/callbacks'
 *
 * const receive = createCallbackReceiver({
 *   verify: { urlSecrets: [callbackSecret] },
 *   claims: createMemoryClaims(10_000), // one process, and no repeat after a restart
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

/** A store of texts by key whose entries expire: Redis, Cloudflare KV and the like. */
export interface KeyValueStore {
  /** The text of a key; null or undefined where there is none, or it has expired. */
  get(key: string): Promise<string | null | undefined>
  /** Sets the text of a key, for this many milliseconds. A promise is awaited. */
  set(key: string, text: string, ttlMs: number): unknown
  /**
   * Sets the text of a key only where it has none, in one step; false where it has one. Redis: `SET` with `NX` and `PX`.
   * Without it, two deliveries of an event at the same moment may both be handled.
   */
  add?(key: string, text: string, ttlMs: number): Promise<boolean>
  /** Deletes a key. Without it, an event whose handler failed is handled again only when its lease has run out. */
  delete?(key: string): unknown
}

/** How claims are kept in a store. */
export interface KeyValueClaimsOptions {
  /** What every key begins with. Default `lead-callback:`. */
  readonly prefix?: string | undefined
  /** How long a confirmed claim is kept, an integer of milliseconds from 1. Default 90 days: afterwards a replay is handled again. */
  readonly keepMs?: number | undefined
}

const knownOptions = { prefix: 1, keepMs: 1 } satisfies Known<KeyValueClaimsOptions>

/**
 * Claims in a store of texts that expire. They survive a crash and a restart, and several processes share them: exactly
 * where the store can `add`, and otherwise except for deliveries at the same moment.
 * @throws ConfigError a function of the store is missing, or an option is unknown or has no sensible value.
 * @example
 * ```ts
 * import { createKeyValueClaims } from '@lead-distribution/publisher-sdk/callbacks'
 *
 * // Redis: `add` stores only where there is nothing yet, which makes it exact.
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
  if (typeof prefix !== 'string') throw new ConfigError('`prefix` of `createKeyValueClaims` must be a text.')
  if (!(Number.isSafeInteger(keepMs) && keepMs >= 1)) {
    throw new ConfigError(
      '`keepMs` of `createKeyValueClaims` must be an integer of milliseconds from 1, such as 90 * 86_400_000.',
    )
  }
  const key = ({ lead_id, event }: CallbackClaim) => `${prefix}${lead_id}:${event}`

  /** What the key holds after an attempt to claim it. */
  async function holderAfter(claim: CallbackClaim): Promise<string | null | undefined> {
    if (store.add) {
      const added: unknown = await store.add(key(claim), claim.token, claim.leaseMs)
      if (typeof added !== 'boolean') throw new ConfigError('`add` of a claim store must give true or false.')
      return added ? claim.token : store.get(key(claim))
    }
    const holder = await store.get(key(claim))
    if (holder) return holder
    await store.set(key(claim), claim.token, claim.leaseMs)
    // Of two that wrote one after the other, the first sees here that it has lost.
    return store.get(key(claim))
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

/** Checked at once: otherwise the first callback would be the first to fail. @throws ConfigError */
function checkStore(store: KeyValueStore): void {
  if (typeof store !== 'object' || store === null) {
    throw new ConfigError('`store` of `createKeyValueClaims` must be an object with `get` and `set`.')
  }
  for (const name of ['get', 'set', 'add', 'delete'] as const) {
    const isOptional = name === 'add' || name === 'delete'
    if (typeof store[name] === 'function' || (isOptional && store[name] === undefined)) continue
    throw new ConfigError(
      `The store of \`createKeyValueClaims\` must have a function \`${name}\`${isOptional ? ', or leave it out' : ''}.`,
    )
  }
}
