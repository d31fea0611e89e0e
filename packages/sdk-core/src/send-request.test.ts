import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { CallEvent } from './call.ts'
import { createHttpClient } from './client.ts'
import { submitCall } from './fault-server.fixture.ts'
import { readText, untilAborted } from './send-request.ts'

const mebibyte = 1_048_576

/** An endless response, and the number of 64 KiB chunks that were read. */
function endless(headers: Record<string, string> = {}) {
  const seen = { pulls: 0, cancelled: false }
  const body = new ReadableStream({
    pull(controller) {
      seen.pulls += 1
      controller.enqueue(new Uint8Array(65_536).fill(32))
    },
    cancel() {
      seen.cancelled = true
    },
  })
  return { response: new Response(body, { headers }), seen }
}

it.each([{}, { 'content-length': '9', 'content-encoding': 'gzip' }, { 'content-length': `${mebibyte + 1}` }])(
  'stops reading an endless response with %o, and releases the connection',
  async headers => {
    const { response, seen } = endless(headers as Record<string, string>)
    expect(await readText(response)).toBe('')
    expect(seen.cancelled).toBe(true)
    expect(seen.pulls).toBeLessThan(20)
  },
)

it('reads up to a mebibyte, and not a byte more', async () => {
  const streamed = (length: number) => new Response(new Blob(['x'.repeat(length)]).stream())
  expect(await readText(streamed(mebibyte))).toHaveLength(mebibyte)
  expect(await readText(streamed(mebibyte + 1))).toBe('')
})

it('decodes characters that are split between two chunks', async () => {
  const bytes = new TextEncoder().encode('{"é":"ñ€"}')
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  expect(await readText(new Response(body))).toBe('{"é":"ñ€"}')
})

it('reads responses without a stream', async () => {
  const response = { headers: new Headers(), body: null, text: async () => 'text' }
  expect(await readText(response as Response)).toBe('text')
  expect(await readText(new Response(null, { status: 204 }))).toBe('')
})

const never = () => new Promise<never>(() => {})

describe('abortable work', () => {
  it('settles with its own result or error, with or without a signal', async () => {
    for (const signal of [undefined, new AbortController().signal]) {
      expect(await untilAborted(signal, async () => 'done')).toBe('done')
      expect(await untilAborted(signal, () => 'done immediately')).toBe('done immediately')
      await expect(untilAborted(signal, () => Promise.reject(new Error('own')))).rejects.toThrow('own')
    }
  })

  it('does not start if the signal is already aborted', async () => {
    await expect(untilAborted(AbortSignal.abort('reason'), () => expect.unreachable())).rejects.toBe('reason')
  })

  it("rejects with the signal's reason, even if it ignores the signal or rejects with another error on abort", async () => {
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

describe('a hanging key function', () => {
  const start = (options: object) => {
    const events: CallEvent[] = []
    const fetch = () => expect.unreachable()
    const client = {
      baseUrl: 'http://127.0.0.1:9',
      apiKey: never,
      fetch,
      onEvent: (event: CallEvent) => events.push(event),
    }
    const error = createHttpClient(client, 'LEAD_PUBLISHER_API_KEY')
      .call({ ...submitCall, options })
      .then(null, reason => reason)
    return { error, events }
  }

  it('is abandoned at the deadline, and nothing is sent', async () => {
    const { error, events } = start({ deadlineMs: 5 })
    expect(await error).toMatchObject({
      code: 'not_sent',
      sent: 'no',
      retryable: true,
      meta: { attempts: 0, status: null },
    })
    expect(events).toEqual([expect.objectContaining({ type: 'failure', code: 'not_sent', attempt: 0 })])
  })

  it('is abandoned on abort, nothing is sent, and the error is reported once', async () => {
    const controller = new AbortController()
    const { error, events } = start({ signal: controller.signal, deadlineMs: 60_000 })
    controller.abort()
    expect(await error).toMatchObject({ code: 'aborted', sent: 'no', retryable: true })
    expect(events.map(({ type }) => type)).toEqual(['failure'])
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })

  it('is not even called if the signal is already aborted', async () => {
    const { error } = start({ signal: AbortSignal.abort() })
    expect(await error).toMatchObject({ code: 'aborted', sent: 'no' })
  })
})
