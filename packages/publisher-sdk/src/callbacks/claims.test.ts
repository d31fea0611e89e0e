import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type CallbackClaims,
  ConfigError,
  createCallbackReceiver,
  createKeyValueClaims,
  createMemoryClaims,
  type KeyValueStore,
} from '../callbacks.ts'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const leaseMs = 1000
const claimBy = (token: string, event = 'approved') => ({ lead_id, event, token, leaseMs })

/** A store over a `Map`, with the expiry of its entries. */
function mapStore() {
  const entries = new Map<string, { text: string; until: number }>()
  const get = (key: string) => {
    const { text, until = 0 } = entries.get(key) ?? {}
    return until > Date.now() ? text : undefined
  }
  const put = (key: string, text: string, ttlMs: number) => entries.set(key, { text, until: Date.now() + ttlMs })
  const store = {
    get: async (key: string) => get(key) ?? null,
    set: async (key: string, text: string, ttlMs: number) => void put(key, text, ttlMs),
    add: async (key: string, text: string, ttlMs: number) =>
      get(key) === undefined && put(key, text, ttlMs) !== undefined,
    delete: async (key: string) => entries.delete(key),
  } satisfies KeyValueStore
  return { store, entries }
}

const stores: Record<string, () => CallbackClaims> = {
  memory: createMemoryClaims,
  'a store with add': () => createKeyValueClaims(mapStore().store),
  'a store without add': () => {
    const { add: _, ...store } = mapStore().store
    return createKeyValueClaims(store)
  },
}

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

describe.each(Object.entries(stores))('claims in %s', (_name, createClaims) => {
  it('are held until the lease is over, and not longer', async () => {
    const claims = createClaims()
    expect(await claims.claim(claimBy('first'))).toBe('claimed')
    vi.advanceTimersByTime(leaseMs - 1)
    expect(await claims.claim(claimBy('second'))).toBe('busy')
    vi.advanceTimersByTime(1)
    expect(await claims.claim(claimBy('third'))).toBe('claimed')
    expect(await claims.claim(claimBy('fourth'))).toBe('busy')
  })

  it('that are confirmed outlive the lease', async () => {
    const claims = createClaims()
    await claims.claim(claimBy('first'))
    await claims.confirm(claimBy('first'))
    vi.advanceTimersByTime(leaseMs * 1000)
    expect(await claims.claim(claimBy('second'))).toBe('done')
    expect(await claims.claim(claimBy('second', 'completed'))).toBe('claimed')
  })

  it('that are released are free at once', async () => {
    const claims = createClaims()
    await claims.claim(claimBy('first'))
    await claims.release(claimBy('first'))
    expect(await claims.claim(claimBy('second'))).toBe('claimed')
  })

  it('are released by their holder alone, and never after they are confirmed', async () => {
    const claims = createClaims()
    await claims.claim(claimBy('slow'))
    vi.advanceTimersByTime(leaseMs)
    await claims.claim(claimBy('next'))
    await claims.release(claimBy('slow'))
    expect(await claims.claim(claimBy('third'))).toBe('busy')
    await claims.confirm(claimBy('slow'))
    await claims.release(claimBy('next'))
    expect(await claims.claim(claimBy('third'))).toBe('done')
  })

  it('are confirmed by a late holder, also after its successor has failed', async () => {
    const claims = createClaims()
    await claims.claim(claimBy('slow'))
    vi.advanceTimersByTime(leaseMs)
    await claims.claim(claimBy('next'))
    await claims.release(claimBy('next'))
    await claims.confirm(claimBy('slow'))
    expect(await claims.claim(claimBy('third'))).toBe('done')
  })
})

it.each(['memory', 'a store with add'])('gives an event to one of fifty that claim it at once: %s', async name => {
  const claims = stores[name]?.() ?? expect.unreachable()
  const claimed = await Promise.all(Array.from({ length: 50 }, (_, index) => claims.claim(claimBy(`${index}`))))
  expect(Object.groupBy(claimed, result => result)).toMatchObject({ claimed: ['claimed'] })
  expect(claimed.filter(result => result === 'busy')).toHaveLength(49)
})

it('gives an event of a store without add to the last of those that write at once', async () => {
  const claims = stores['a store without add']?.() ?? expect.unreachable()
  const both = await Promise.all([claims.claim(claimBy('first')), claims.claim(claimBy('second'))])
  expect(both).toEqual(['busy', 'claimed'])
})

it('keeps a claim under its prefix, for as long as was asked', async () => {
  const { store, entries } = mapStore()
  const claims = createKeyValueClaims(store, { prefix: 'loans/', keepMs: 5000 })
  await claims.claim(claimBy('first'))
  await claims.confirm(claimBy('first'))
  expect([...entries.keys()]).toEqual([`loans/${lead_id}:approved`])
  vi.advanceTimersByTime(4999)
  expect(await claims.claim(claimBy('second'))).toBe('done')
  vi.advanceTimersByTime(1)
  expect(await claims.claim(claimBy('second'))).toBe('claimed')
})

it('keeps a claim under a prefix of ours by default', async () => {
  const { store, entries } = mapStore()
  await createKeyValueClaims(store).claim(claimBy('first'))
  expect([...entries.keys()]).toEqual([`lead-callback:${lead_id}:approved`])
})

it('releases nothing where nothing is claimed', () => {
  expect(() => createMemoryClaims().release(claimBy('first'))).not.toThrow()
})

it('leaves a released claim of a store that deletes nothing to its lease', async () => {
  const { delete: _, ...store } = mapStore().store
  const claims = createKeyValueClaims(store)
  await claims.claim(claimBy('first'))
  await claims.release(claimBy('first'))
  expect(await claims.claim(claimBy('second'))).toBe('busy')
  vi.advanceTimersByTime(leaseMs)
  expect(await claims.claim(claimBy('second'))).toBe('claimed')
})

it('never loses an event to a store that reads nothing after its own write, as a cached one does', async () => {
  const { store } = mapStore()
  const cached = new Map<string, string | null>()
  const claims = createKeyValueClaims({
    async get(key) {
      if (!cached.has(key)) cached.set(key, await store.get(key))
      return cached.get(key)
    },
    set: store.set,
  })
  const handled: string[] = []
  const secret = 'a'.repeat(43)
  const receive = createCallbackReceiver({
    verify: { urlSecrets: [secret] },
    claims,
    handle: ({ event }) => void handled.push(event),
  })
  const request = new Request(`https://publisher.example/callbacks/${secret}?lead_id=${lead_id}&event=approved`)
  expect((await receive(request)).status).toBe(200)
  expect(handled).toEqual(['approved'])
  cached.clear()
  expect(await (await receive(request)).json()).toEqual({ status: 'ignored' })
})

it.each(['OK', null, 1])(
  'refuses a store whose add gives %o: it cannot be told from a claim that was lost',
  async given => {
    const claims = createKeyValueClaims({ ...mapStore().store, add: async () => given as never })
    await expect(claims.claim(claimBy('first'))).rejects.toMatchObject({
      code: 'config',
      message: '`add` of a claim store must return true or false.',
    })
  },
)

it('forgets the oldest claims of memory beyond its limit', async () => {
  const claims = createMemoryClaims(2)
  for (const event of ['a', 'b', 'c']) await claims.claim(claimBy('first', event))
  expect(['a', 'c'].map(event => claims.claim(claimBy('second', event)))).toEqual(['claimed', 'busy'])
})

describe('a claim store is checked when it is created', () => {
  const { store } = mapStore()

  it.each([
    ['nothing', undefined, 'must be an object'],
    ['null', null, 'must be an object'],
    ['an empty object', {}, 'must have a function `get`.'],
    ['no `set`', { get: store.get }, '`set`'],
    ['an `add` that is no function', { ...store, add: true }, 'must have a function `add`, or leave it out.'],
    ['a `delete` that is no function', { ...store, delete: 'del' }, '`delete`'],
  ])('%s', (_name, given, named) => {
    const create = () => createKeyValueClaims(given as never)
    expect(create).toThrow(ConfigError)
    expect(create).toThrow(named)
  })

  it.each([{ keepMs: '90d' }, { keepMs: 0 }, { keepMs: Number.POSITIVE_INFINITY }, { keepMs: null }, { prefix: 7 }])(
    'with the options %o',
    options => {
      const [name = ''] = Object.keys(options)
      const create = () => createKeyValueClaims(store, options as never)
      expect(create).toThrow(ConfigError)
      expect(create).toThrow(`\`${name}\``)
    },
  )

  it.each([Number.NaN, 0, -1, 1.5, '10', null, Number.POSITIVE_INFINITY, 10_000_001])('with a limit of %o', limit => {
    const create = () => createMemoryClaims(limit as never)
    expect(create).toThrow(ConfigError)
    expect(create).toThrow('`limit`')
  })

  it.each([null, 'redis', { ...createMemoryClaims(), confirm: undefined }])(
    'and %o is no claims of a receiver',
    claims => {
      const create = () => createCallbackReceiver({ verify: 'none', handle: () => {}, claims: claims as never })
      expect(create).toThrow(ConfigError)
      expect(create).toThrow('`claims`')
    },
  )

  it('takes the least and the largest limit', () => {
    for (const limit of [1, 10_000_000]) expect(createMemoryClaims(limit)).toBeDefined()
  })

  it('takes stores that are classes, without what is optional', () => {
    class Store {
      async get() {
        return null
      }
      set() {}
    }
    expect(createKeyValueClaims(new Store(), { prefix: '', keepMs: 1 })).toBeDefined()
    expect(createKeyValueClaims({ ...store, add: undefined, delete: undefined } as never)).toBeDefined()
  })
})
