import { getEventListeners } from 'node:events'
import type { CallEvent } from '@lead-distribution/publisher-sdk'
import { describe, expect, it } from 'vitest'
import { callNames, calls, clientOf, errorOf } from './calls.fixture.ts'
import { injected, leaks } from './injected.fixture.ts'
import { cutsBody, replies, resets, stalls, stallsBody } from './steps.fixture.ts'
import { type Step, startWireServer } from './wire-server.fixture.ts'

const rateLimited = replies(429, {}, { 'retry-after': '3600' })
const longWaits = { maxRetryAfterMs: 3_600_000, minDelayMs: 3_600_000, maxDelayMs: 3_600_000 }

describe.each(callNames)('%s', name => {
  const { make, once, fine } = calls[name]
  const maybe = { code: 'aborted', sent: 'maybe', retryable: !once }
  const not = { code: 'aborted', sent: 'no', retryable: true }

  /** A call whose signal is aborted at an event, or by the server. */
  async function abortedAt(when: CallEvent['type'] | 'server', ...steps: [Step, ...Step[]]) {
    const controller = new AbortController()
    // A reason is the caller's own, and may hold anything.
    const abort = () => controller.abort(new Error(injected.email))
    const server = await startWireServer(
      ...(steps.map(
        step =>
          ((socket, request) => {
            step(socket, request)
            if (when === 'server') setTimeout(abort, 10)
          }) satisfies Step,
      ) as [Step]),
    )
    const { client, events, steps: seen } = clientOf(server.baseUrl, { backOff: longWaits })
    const onEvent = (event: CallEvent) => {
      events.push(event)
      if (event.type === when) abort()
    }
    const ended = make({ client: { ...client, onEvent }, options: { signal: controller.signal } })
    return { server, seen, events, ended, controller }
  }

  it('sends nothing when its signal is aborted before', async () => {
    const server = await startWireServer(replies(200, fine))
    const { client, steps } = clientOf(server.baseUrl)
    const error = await errorOf(make({ client, options: { signal: AbortSignal.abort(injected.email) } }))
    expect(error).toMatchObject({ ...not, meta: { attempts: 0, status: null } })
    expect([steps(), server.connections()]).toEqual([['failure 0'], 0])
    expect(leaks(error)).toEqual([])
  })

  it('sends nothing when its signal is aborted at the event of its attempt', async () => {
    const { ended, server, seen } = await abortedAt('attempt', replies(200, fine))
    expect(await errorOf(ended)).toMatchObject(not)
    expect([seen(), server.connections()]).toEqual([['attempt 1', 'failure 1'], 0])
  })

  it.each([
    ['before the headers', stalls],
    ['in the body', stallsBody],
  ])('is unknown when its signal is aborted %s', async (_name, step) => {
    const { ended, server, seen, events, controller } = await abortedAt('server', step)
    const error = await errorOf(ended)
    expect(error).toMatchObject({ ...maybe, attempt: { callId: error.meta?.callId } })
    expect(seen()).toEqual(['attempt 1', 'failure 1'])
    expect([...leaks(error), ...leaks(events)]).toEqual([])
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
    await expect.poll(server.open).toBe(0)
  })

  it('was not processed when its signal is aborted in the wait after a 429', async () => {
    const { ended, seen, controller } = await abortedAt('retry', rateLimited)
    expect(await errorOf(ended)).toMatchObject({ ...not, meta: { attempts: 1, status: 429 } })
    expect(seen()).toEqual(['attempt 1', 'reply 1', 'retry 1', 'failure 1'])
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })

  it('is unknown when its signal is aborted in the wait after a lost reply', async () => {
    const { ended, server } = await abortedAt('retry', resets)
    // A submission does not wait then: it ends.
    if (once) expect(await errorOf(ended)).toMatchObject({ code: 'outcome_unknown' })
    else expect(await errorOf(ended)).toMatchObject(maybe)
    expect(server.reached).toHaveLength(1)
  })

  it.each(['reply', 'server'] as const)('keeps its outcome when its signal is aborted after it (%s)', async when => {
    const { ended, controller } = await abortedAt(when, replies(200, fine))
    expect((await ended).meta.status).toBe(200)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })

  it('ends with its signal, not with the time-out and the deadline that are over too', async () => {
    const controller = new AbortController()
    const server = await startWireServer(() => {
      blockFor(1100)
      controller.abort()
    })
    const { client } = clientOf(server.baseUrl, { timeoutMs: 1000, deadlineMs: 1000 })
    expect(await errorOf(make({ client, options: { signal: controller.signal } }))).toMatchObject(maybe)
  })

  it('is tried once where its deadline is shorter than its time-out, and ends there', async () => {
    const server = await startWireServer(stalls)
    const { client, steps } = clientOf(server.baseUrl, { timeoutMs: 60_000 })
    const error = await errorOf(make({ client, options: { deadlineMs: 2000 } }))
    expect(error).toMatchObject({ code: 'outcome_unknown', sent: 'maybe', meta: { attempts: 1 } })
    expect([steps(), server.reached.length]).toEqual([['attempt 1', 'failure 1'], 1])
  })

  it('does not wait where the deadline would pass meanwhile', async () => {
    const server = await startWireServer(rateLimited)
    const { client, steps } = clientOf(server.baseUrl, { backOff: longWaits, deadlineMs: 60_000 })
    expect(await errorOf(make({ client }))).toMatchObject({ code: 'rate_limit', retryAfterMs: 3_600_000 })
    expect([steps(), server.reached.length]).toEqual([['attempt 1', 'reply 1', 'failure 1'], 1])
  })

  it('sends nothing past its deadline, though a wait overran it', async () => {
    const server = await startWireServer(replies(429), replies(200, fine))
    const { client } = clientOf(server.baseUrl)
    const onEvent = ({ type }: CallEvent) => void (type === 'retry' && blockFor(1200))
    const error = await errorOf(make({ client: { ...client, onEvent }, options: { deadlineMs: 1000 } }))
    expect(error).toMatchObject({ code: 'rate_limit', sent: 'yes', meta: { attempts: 1 } })
    expect(server.reached).toHaveLength(1)
  })

  it('covers the body by the time-out of each attempt', async () => {
    const server = await startWireServer(stallsBody)
    const { client } = clientOf(server.baseUrl, { timeoutMs: 1000, maxRetries: 1 })
    const error = await errorOf(make({ client }))
    expect(error).toMatchObject({ code: 'outcome_unknown', meta: { attempts: once ? 1 : 2 } })
    expect(error.message).toContain('no complete response within 1000 ms')
  })

  it('counts only its own listeners: a signal may serve many calls at once', async () => {
    const { signal } = new AbortController()
    const server = await startWireServer(replies(200, fine), cutsBody, replies(400), replies(200, fine))
    const { client } = clientOf(server.baseUrl, { maxRetries: 0 })
    await Promise.allSettled(Array.from({ length: 20 }, () => make({ client, options: { signal } })))
    expect(server.reached).toHaveLength(20)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})

function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
