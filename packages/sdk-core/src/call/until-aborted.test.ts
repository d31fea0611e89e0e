import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { CallEvent } from './call-events.ts'
import { createHttpClient } from './http-client.ts'
import { untilAborted } from './until-aborted.ts'

const never = () => new Promise<never>(() => {})

describe('work', () => {
  it('comes to its own result or error, with a signal or without', async () => {
    for (const signal of [undefined, new AbortController().signal]) {
      expect(await untilAborted(signal, async () => 'done')).toBe('done')
      expect(await untilAborted(signal, () => 'done at once')).toBe('done at once')
      await expect(untilAborted(signal, () => Promise.reject(new Error('own')))).rejects.toThrow('own')
    }
  })

  it('does not begin where the signal is aborted', async () => {
    await expect(untilAborted(AbortSignal.abort('reason'), () => expect.unreachable())).rejects.toBe('reason')
  })

  it('ends with the reason of the signal, though it ignores it or reports the abort by another error', async () => {
    const controller = new AbortController()
    const fails = () =>
      new Promise<never>((_, reject) => controller.signal.addEventListener('abort', () => reject(new Error('first'))))
    const ended = Promise.allSettled([untilAborted(controller.signal, never), untilAborted(controller.signal, fails)])
    setImmediate(() => controller.abort('reason'))
    expect(await ended).toEqual(Array(2).fill({ status: 'rejected', reason: 'reason' }))
  })

  it.each([
    ['a result', async () => {}],
    ['an error', () => Promise.reject(new Error('x'))],
  ])('leaves no listener after %s', async (_name, work: () => Promise<void>) => {
    const { signal } = new AbortController()
    await untilAborted(signal, work).catch(() => {})
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})

describe('a key function that hangs', () => {
  const start = (options: object) => {
    const events: CallEvent[] = []
    const fetch = () => expect.unreachable()
    const client = {
      baseUrl: 'http://127.0.0.1:9',
      apiKey: never,
      fetch,
      onEvent: (event: CallEvent) => events.push(event),
    }
    const call = { name: 'submitLead', method: 'POST', to: { path: '/lead' }, body: '{}', withKey: true } as const
    const error = createHttpClient(client, 'LEAD_PUBLISHER_API_KEY')
      .call({ ...call, options })
      .then(null, reason => reason)
    return { error, events }
  }

  it('ends at the deadline: nothing was sent', async () => {
    const { error, events } = start({ deadlineMs: 5 })
    expect(await error).toMatchObject({
      code: 'not_sent',
      sent: 'no',
      retryable: true,
      meta: { attempts: 0, status: null },
    })
    expect(events).toEqual([expect.objectContaining({ type: 'failure', code: 'not_sent', attempt: 0 })])
  })

  it('ends with the signal: nothing was sent, reported once', async () => {
    const controller = new AbortController()
    const { error, events } = start({ signal: controller.signal, deadlineMs: 60_000 })
    controller.abort()
    expect(await error).toMatchObject({ code: 'aborted', sent: 'no', retryable: true })
    expect(events.map(({ type }) => type)).toEqual(['failure'])
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })

  it('is not even called where the signal is aborted', async () => {
    const { error } = start({ signal: AbortSignal.abort() })
    expect(await error).toMatchObject({ code: 'aborted', sent: 'no' })
  })
})
