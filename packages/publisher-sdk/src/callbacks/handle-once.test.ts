import { expect, it, onTestFinished, vi } from 'vitest'
import { createCallbackReceiver, createCallbackUrl, createMemoryClaims } from '../callbacks.ts'

const { url, secret } = createCallbackUrl('https://publisher.example/callbacks')
const callback = () => new Request(`${url}?lead_id=3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11&event=approved`)

function receiver(options: object) {
  const reported: unknown[] = []
  const onError = (error: unknown) => void reported.push(error)
  const receive = createCallbackReceiver({ verify: { urlSecrets: [secret] }, handle: () => {}, onError, ...options })
  const deliver = async () => {
    const reply = await receive(callback())
    return `${reply.status} ${(await reply.json()).status}`
  }
  return { receive, deliver, reported }
}

function fakeTime() {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

it('has an event that is being handled sent again, after the lease', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const handle = vi.fn(() => promise)
  const { receive, deliver } = receiver({ handle, handleTimeoutMs: 1500, leaseMs: 1500 })
  const first = deliver()
  const second = await receive(callback())
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '2'])
  resolve()
  expect([await first, await deliver()]).toEqual(['200 received', '200 ignored'])
  expect(handle).toHaveBeenCalledTimes(1)
})

it('handles an event once, however many come at the same time', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const handle = vi.fn(() => promise)
  const { deliver } = receiver({ handle, isKnownLead: async () => true, handleUnknownLead: () => {} })
  const replies = Array.from({ length: 50 }, deliver)
  await Promise.all(replies.slice(1))
  resolve()
  const counts = Object.groupBy(await Promise.all(replies), reply => reply)
  expect([counts['200 received']?.length, counts['503 busy']?.length]).toEqual([1, 49])
  expect(await deliver()).toBe('200 ignored')
  expect(handle).toHaveBeenCalledTimes(1)
})

it('gives a handler up when its time is over, and its event to a delivery after the lease', async () => {
  fakeTime()
  const signals: AbortSignal[] = []
  const handle = vi.fn((_event, { signal }) => {
    signals.push(signal)
    return signals.length === 1 ? new Promise(() => {}) : undefined
  })
  const { deliver, reported } = receiver({ handle, handleTimeoutMs: 100, leaseMs: 300 })
  const first = deliver()
  await vi.advanceTimersByTimeAsync(99)
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  await vi.advanceTimersByTimeAsync(1)
  expect([await first, signals[0]?.aborted]).toEqual(['503 busy', true])
  expect(reported).toEqual([new Error('A callback took longer than 100 ms (handleTimeoutMs): queue slow work.')])
  await vi.advanceTimersByTimeAsync(199)
  expect(await deliver()).toBe('503 busy')
  await vi.advanceTimersByTimeAsync(1)
  expect([await deliver(), handle.mock.calls.length]).toEqual(['200 received', 2])
  expect([vi.getTimerCount(), signals[1]?.aborted]).toEqual([0, false])
})

it.each([
  ['is done', undefined, '200 ignored', 1],
  ['fails', new Error('too late'), '200 received', 2],
])('reckons with a handler that %s after its time', async (_name, error, next, errors) => {
  fakeTime()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const handle = vi.fn().mockReturnValueOnce(promise)
  const { deliver, reported } = receiver({ handle, handleTimeoutMs: 100 })
  const first = deliver()
  await vi.advanceTimersByTimeAsync(100)
  expect(await first).toBe('503 busy')
  if (error) reject(error)
  else resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect([await deliver(), reported.length]).toEqual([next, errors])
})

it('keeps the reply of the handler although its claim can be neither confirmed nor released', async () => {
  fakeTime()
  const [database, handler] = [new Error('database'), new Error('handler')]
  const fails = () => Promise.reject(database)
  const handle = vi.fn().mockRejectedValueOnce(handler)
  const claims = { ...createMemoryClaims(), confirm: fails, release: fails }
  const { deliver, reported } = receiver({ handle, claims, leaseMs: 10_000 })
  expect([await deliver(), await deliver()]).toEqual(['500 failed', '503 busy'])
  vi.advanceTimersByTime(10_000)
  expect(await deliver()).toBe('200 received')
  expect(reported).toEqual([database, handler, database])
})

it.each([undefined, null, true, false, 'taken', {}])(
  'takes a claim that returns %o for an error, and not for a repeat',
  async returned => {
    const handle = vi.fn()
    const { deliver, reported } = receiver({ handle, claims: { ...createMemoryClaims(), claim: () => returned } })
    expect(await deliver()).toBe('500 failed')
    expect(reported).toMatchObject([
      { code: 'config', message: expect.stringContaining("'claimed', 'busy' or 'done'") },
    ])
    expect(handle).not.toHaveBeenCalled()
  },
)

it.each(['handle', 'handleUnknownLead', 'isKnownLead', 'claim'])(
  'replies 500 where %s throws, also what is no error',
  async name => {
    const throws = () => {
      throw undefined
    }
    const claims = name === 'claim' ? { ...createMemoryClaims(), claim: throws } : createMemoryClaims()
    const knowledge =
      name === 'handle' || name === 'claim' ? {} : { isKnownLead: () => false, handleUnknownLead: () => {} }
    const { deliver, reported } = receiver({ claims, ...knowledge, ...(name === 'claim' ? {} : { [name]: throws }) })
    expect([await deliver(), reported]).toEqual(['500 failed', [undefined]])
  },
)
