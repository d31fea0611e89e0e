import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ConfigError, createCallbackReceiver, createMemoryClaims } from '../callbacks.ts'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const leaseMs = 1000
const claimBy = (token: string, event = 'approved') => ({ lead_id, event, token, leaseMs })

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

describe('claims in memory', () => {
  it('are held until the lease expires, and no longer', async () => {
    const claims = createMemoryClaims()
    expect(await claims.claim(claimBy('first'))).toBe('claimed')
    vi.advanceTimersByTime(leaseMs - 1)
    expect(await claims.claim(claimBy('second'))).toBe('busy')
    vi.advanceTimersByTime(1)
    expect(await claims.claim(claimBy('third'))).toBe('claimed')
    expect(await claims.claim(claimBy('fourth'))).toBe('busy')
  })

  it('outlive the lease once they are confirmed', async () => {
    const claims = createMemoryClaims()
    await claims.claim(claimBy('first'))
    await claims.confirm(claimBy('first'))
    vi.advanceTimersByTime(leaseMs * 1000)
    expect(await claims.claim(claimBy('second'))).toBe('done')
    expect(await claims.claim(claimBy('second', 'completed'))).toBe('claimed')
  })

  it('are free as soon as they are released', async () => {
    const claims = createMemoryClaims()
    await claims.claim(claimBy('first'))
    await claims.release(claimBy('first'))
    expect(await claims.claim(claimBy('second'))).toBe('claimed')
  })

  it('are released only by their holder, and never once they are confirmed', async () => {
    const claims = createMemoryClaims()
    await claims.claim(claimBy('slow'))
    vi.advanceTimersByTime(leaseMs)
    await claims.claim(claimBy('next'))
    await claims.release(claimBy('slow'))
    expect(await claims.claim(claimBy('third'))).toBe('busy')
    await claims.confirm(claimBy('slow'))
    await claims.release(claimBy('next'))
    expect(await claims.claim(claimBy('third'))).toBe('done')
  })

  it('can be confirmed by a late holder, even after its successor failed', async () => {
    const claims = createMemoryClaims()
    await claims.claim(claimBy('slow'))
    vi.advanceTimersByTime(leaseMs)
    await claims.claim(claimBy('next'))
    await claims.release(claimBy('next'))
    await claims.confirm(claimBy('slow'))
    expect(await claims.claim(claimBy('third'))).toBe('done')
  })
})

it('grants an event to one of fifty concurrent claims', async () => {
  const claims = createMemoryClaims()
  const claimed = await Promise.all(Array.from({ length: 50 }, (_, index) => claims.claim(claimBy(`${index}`))))
  expect(Object.groupBy(claimed, result => result)).toMatchObject({ claimed: ['claimed'] })
  expect(claimed.filter(result => result === 'busy')).toHaveLength(49)
})

it('ignores the release of an event that nobody claimed', () => {
  expect(() => createMemoryClaims().release(claimBy('first'))).not.toThrow()
})

it('evicts the oldest claims beyond the limit', async () => {
  const claims = createMemoryClaims(2)
  for (const event of ['a', 'b', 'c']) await claims.claim(claimBy('first', event))
  expect(['a', 'c'].map(event => claims.claim(claimBy('second', event)))).toEqual(['claimed', 'busy'])
})

describe('options', () => {
  it.each([Number.NaN, 0, -1, 1.5, '10', null, Number.POSITIVE_INFINITY, 10_000_001])(
    'rejects a limit of %o',
    limit => {
      const create = () => createMemoryClaims(limit as never)
      expect(create).toThrow(ConfigError)
      expect(create).toThrow('`limit`')
    },
  )

  it.each([null, 'redis', { ...createMemoryClaims(), confirm: undefined }])(
    'rejects %o as the claims of a receiver',
    claims => {
      const create = () => createCallbackReceiver({ verify: 'none', handle: () => {}, claims: claims as never })
      expect(create).toThrow(ConfigError)
      expect(create).toThrow('`claims`')
    },
  )

  it('accepts the smallest and the largest limit', () => {
    for (const limit of [1, 10_000_000]) expect(createMemoryClaims(limit)).toBeDefined()
  })
})
