import type { HttpResponse } from '@lead-distribution/http'
import { describe, expect, it } from 'vitest'
import { boundRequests } from './overload.ts'

const ok: HttpResponse = { status: 200, headers: {}, body: '' }
const request = (target: string) => ({ method: 'GET', target, headers: {}, body: new Uint8Array() })

/** A handler that answers when the test says so, and how many requests it got. */
function waiting(max: number) {
  const finish: ((response: HttpResponse) => void)[] = []
  const bounded = boundRequests(() => new Promise(resolve => finish.push(resolve)), max)
  return { ...bounded, finish, send: (target = '/api/v1/lead') => bounded.handle(request(target)) }
}

describe('requests in flight', () => {
  it('are bounded: one beyond is refused with 503 and Retry-After, and gets its turn once another is answered', async () => {
    const { send, finish, refused } = waiting(2)
    const [first] = [send(), send()]
    expect(await send()).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    expect(JSON.parse((await send()).body).error).toBe('overloaded')
    expect(finish).toHaveLength(2)
    expect(refused()).toBe(2)
    finish[0]?.(ok)
    expect((await first)?.status).toBe(200)
    void send()
    expect(finish).toHaveLength(3)
  })

  it.each(['/_sandbox/health', '/_sandbox/health/ready', '/_sandbox/health?a', '/_sandbox/metrics'])(
    'never keep %s from an answer',
    async target => {
      const { send, finish } = waiting(0)
      const probed = send(target)
      finish[0]?.(ok)
      expect((await probed).status).toBe(200)
    },
  )

  it.each(['/_sandbox/healthy', '/_sandbox/v1/tenants', '/x/_sandbox/health'])('bound %s', async target => {
    expect((await waiting(0).send(target)).status).toBe(503)
  })

  it('are counted down where one fails, and none is left at the end', async () => {
    const bounded = boundRequests(() => Promise.reject(new Error('broken')), 1)
    await expect(bounded.handle(request('/'))).rejects.toThrow('broken')
    await expect(bounded.handle(request('/'))).rejects.toThrow('broken')
    await bounded.none()
  })
})

it('leave their place while they only wait, and are waited for at the end', async () => {
  const over = Promise.withResolvers<void>()
  const bounded = boundRequests(async ({ wait, target }) => {
    if (target === '/wait') await wait?.(() => over.promise)
    return ok
  }, 1)
  const waiting = Array.from({ length: 50 }, () => bounded.handle(request('/wait')))
  expect((await bounded.handle(request('/'))).status).toBe(200)
  let isIdle = false
  const idle = bounded.none().then(() => {
    isIdle = true
  })
  await new Promise(resolve => setImmediate(resolve))
  expect(isIdle).toBe(false)
  over.resolve()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(50).fill(200))
  await idle
})
