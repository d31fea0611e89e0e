import { expect, it, vi } from 'vitest'
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
  return { deliver, reported }
}

it('handles an event again although its claim could not be given back, and reports both errors', async () => {
  const [database, handler] = [new Error('database'), new Error('handler')]
  const handle = vi.fn().mockRejectedValueOnce(handler).mockRejectedValueOnce(handler).mockResolvedValue(undefined)
  const memory = createMemoryClaims()
  const { deliver, reported } = receiver({ handle, claims: { ...memory, release: () => Promise.reject(database) } })
  expect([await deliver(), await deliver()]).toEqual(['500 failed', '500 failed'])
  expect(reported).toEqual([database, handler, database, handler])
  expect([await deliver(), await deliver()]).toEqual(['200 received', '200 ignored'])
  expect(handle).toHaveBeenCalledTimes(3)
})

it.each([undefined, null, 0, 1, 'true', {}])(
  'takes a claim that returns %o for an error, and not for a repeat',
  async returned => {
    const handle = vi.fn()
    const { deliver, reported } = receiver({ handle, claims: { claim: () => returned, release: () => {} } })
    expect(await deliver()).toBe('500 failed')
    expect(reported).toMatchObject([{ code: 'config', message: '`claims.claim` must give true or false.' }])
    expect(handle).not.toHaveBeenCalled()
  },
)

it.each(['handle', 'park', 'isKnownLead', 'claim'])(
  'replies 500 where %s throws, also what is no error',
  async name => {
    const throws = () => {
      throw undefined
    }
    const claims = name === 'claim' ? { claim: throws, release: () => {} } : createMemoryClaims()
    const knowledge = name === 'handle' || name === 'claim' ? {} : { isKnownLead: () => false, park: () => {} }
    const { deliver, reported } = receiver({ claims, ...knowledge, ...(name === 'claim' ? {} : { [name]: throws }) })
    expect([await deliver(), reported]).toEqual(['500 failed', [undefined]])
  },
)

it('handles an event once, however many come at the same time', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const handle = vi.fn(() => promise)
  const { deliver } = receiver({ handle, isKnownLead: async () => true, park: () => {} })
  const replies = Array.from({ length: 50 }, deliver)
  resolve()
  expect(new Set(await Promise.all(replies))).toEqual(new Set(['200 received']))
  expect(await deliver()).toBe('200 ignored')
  expect(handle).toHaveBeenCalledTimes(1)
})
