import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { CallEvent } from './call-event.ts'
import { createCaller } from './caller.ts'
import { within } from './within.ts'

const never = () => new Promise<never>(() => {})
const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length

describe('work', () => {
  it('is given its result, though no time is set', async () => {
    expect(await within(Number.POSITIVE_INFINITY, undefined, async () => ({ done: true }))).toEqual({ done: true })
  })

  it('that fails rejects with its own error', async () => {
    await expect(within(60_000, undefined, () => Promise.reject(new Error('own')))).rejects.toThrow('own')
  })

  it('ends at its time, and hears of it by its signal', async () => {
    let inner: AbortSignal | undefined
    const work = (signal: AbortSignal) => {
      inner = signal
      return never()
    }
    expect(await within(1, undefined, work)).toBe('timed_out')
    expect(inner?.aborted).toBe(true)
  })

  it('ends with the signal, which wins over the time and over what the work itself makes of it', async () => {
    expect(await within(1, AbortSignal.abort(), never)).toBe('aborted')
    const controller = new AbortController()
    const hangsOnIt = () =>
      new Promise<never>((_, reject) => controller.signal.addEventListener('abort', () => reject(new Error('first'))))
    setImmediate(() => controller.abort())
    expect(await within(60_000, controller.signal, hangsOnIt)).toBe('aborted')
  })

  it.each([
    ['a result', async () => ({})],
    ['an error', () => Promise.reject(new Error('x'))],
  ])('leaves no timer and no listener after %s', async (_name, work: () => Promise<object>) => {
    const { signal } = new AbortController()
    const before = timers()
    await within(60_000, signal, work).catch(() => {})
    expect([timers(), getEventListeners(signal, 'abort').length]).toEqual([before, 0])
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
    const call = { name: 'submitLead', methods: ['POST'], to: { path: '/lead' }, body: '{}', withKey: true } as const
    const error = createCaller(client, 'LEAD_PUBLISHER_API_KEY')
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

  it('ends with the signal: nothing was sent, and it is told once', async () => {
    const controller = new AbortController()
    const { error, events } = start({ signal: controller.signal, deadlineMs: 60_000 })
    controller.abort()
    expect(await error).toMatchObject({ code: 'aborted', sent: 'no', retryable: true })
    expect(events.map(({ type }) => type)).toEqual(['failure'])
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })

  it('is not even asked where the signal is aborted', async () => {
    const { error } = start({ signal: AbortSignal.abort() })
    expect(await error).toMatchObject({ code: 'aborted', sent: 'no' })
  })
})
