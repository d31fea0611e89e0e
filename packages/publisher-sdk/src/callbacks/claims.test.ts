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
  it('are held until the lease is over, and not longer', async () => {
    const claims = createMemoryClaims()
    expect(await claims.claim(claimBy('first'))).toBe('claimed')
    vi.advanceTimersByTime(leaseMs - 1)
    expect(await claims.claim(claimBy('second'))).toBe('busy')
    vi.advanceTimersByTime(1)
    expect(await claims.claim(claimBy('third'))).toBe('claimed')
    expect(await claims.claim(claimBy('fourth'))).toBe('busy')
  })

  it('that are confirmed outlive the lease', async () => {
    const claims = createMemoryClaims()
    await claims.claim(claimBy('first'))
    await claims.confirm(claimBy('first'))
    vi.advanceTimersByTime(leaseMs * 1000)
    expect(await claims.claim(claimBy('second'))).toBe('done')
    expect(await claims.claim(claimBy('second', 'completed'))).toBe('claimed')
  })

  it('that are released are free at once', async () => {
    const claims = createMemoryClaims()
    await claims.claim(claimBy('first'))
    await claims.release(claimBy('first'))
    expect(await claims.claim(claimBy('second'))).toBe('claimed')
  })

  it('are released by their holder alone, and never after they are confirmed', async () => {
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

  it('are confirmed by a late holder, also after its successor has failed', async () => {
    const claims = createMemoryClaims()
    await claims.claim(claimBy('slow'))
    vi.advanceTimersByTime(leaseMs)
    await claims.claim(claimBy('next'))
    await claims.release(claimBy('next'))
    await claims.confirm(claimBy('slow'))
    expect(await claims.claim(claimBy('third'))).toBe('done')
  })
})

it('gives an event to one of fifty that claim it at once', async () => {
  const claims = createMemoryClaims()
  const claimed = await Promise.all(Array.from({ length: 50 }, (_, index) => claims.claim(claimBy(`${index}`))))
  expect(Object.groupBy(claimed, result => result)).toMatchObject({ claimed: ['claimed'] })
  expect(claimed.filter(result => result === 'busy')).toHaveLength(49)
})

it('releases nothing where nothing is claimed', () => {
  expect(() => createMemoryClaims().release(claimBy('first'))).not.toThrow()
})

it('forgets the oldest claims of memory beyond its limit', async () => {
  const claims = createMemoryClaims(2)
  for (const event of ['a', 'b', 'c']) await claims.claim(claimBy('first', event))
  expect(['a', 'c'].map(event => claims.claim(claimBy('second', event)))).toEqual(['claimed', 'busy'])
})

describe('claims are checked when they are created', () => {
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
})
