import type { CallbackAnswer, Callbacks, ReceivedCallback } from '@lead-distribution/conformance'
import type { Dialer } from '@lead-distribution/simulator'
import { vi } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'

/** A sandbox and its callback receiver, whose time passes only while nothing is in flight. */
export interface VirtualTime extends AsyncDisposable {
  readonly adapter: Adapter
  readonly callbacks: Callbacks
}

/** Idle turns of the event loop before the next timer fires. Reading a response's body takes some. */
const idleTurns = 5

/**
 * Opens a sandbox in virtual time. Measured durations are exact, however busy the machine is. Timers, `Date` and
 * `performance` are vitest's until it is disposed of.
 */
export async function openVirtualTime(patienceMs: number): Promise<VirtualTime> {
  const nextTurn = (
    (turn: typeof setImmediate) => () =>
      new Promise<void>(resolve => void turn(resolve))
  )(setImmediate)
  const work = countWork()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] })
  const { callbacks, dialer } = receiveCallbacks(patienceMs)
  const adapter = await openMemoryAdapter({ dialer })

  let isOver = false
  const passing = (async () => {
    for (let idle = 0; !isOver; idle = work.isDone() ? idle + 1 : 0) {
      await nextTurn()
      if (idle < idleTurns) continue
      await vi.advanceTimersToNextTimerAsync()
      idle = 0
    }
  })()

  return {
    callbacks,
    adapter: { ...adapter, request: (...call) => work.count(adapter.request(...call)) },
    async [Symbol.asyncDispose]() {
      await adapter.close()
      isOver = true
      await passing
      vi.useRealTimers()
      work.stop()
    },
  }
}

/** Counts requests in flight and WebCrypto operations, which run outside the event loop. */
function countWork() {
  let running = 0
  const count = <Result>(work: Promise<Result>): Promise<Result> => {
    running++
    return work.finally(() => running--)
  }
  const { subtle } = crypto
  const spies = (['sign', 'verify', 'digest', 'importKey'] as const).map(name => {
    const original = subtle[name].bind(subtle) as (...args: unknown[]) => Promise<never>
    return vi.spyOn(subtle, name).mockImplementation((...args: unknown[]) => count(original(...args)))
  })
  return {
    count,
    isDone: () => running === 0,
    stop: () => {
      for (const spy of spies) spy.mockRestore()
    },
  }
}

/** The callback receiver, and the dialer that reaches it without a socket. */
function receiveCallbacks(patienceMs: number): { callbacks: Callbacks; dialer: Dialer } {
  type Try = { -readonly [Name in keyof ReceivedCallback]: ReceivedCallback[Name] }
  const tries = new Map<string, Try[]>()
  const answers = new Map<string, CallbackAnswer[]>()
  const release = new Map<string, () => void>()
  let turn: Promise<unknown> = Promise.resolve()
  const of = (lead_id: string) => tries.get(lead_id) ?? []

  const dialer: Dialer = {
    close: () => undefined,
    post: async () => ({ error: 'no back end' }),
    async get({ url, headers, timeoutMs }) {
      const { pathname, search, searchParams } = new URL(url)
      const received: Try = { at: Date.now(), method: 'GET', target: `${pathname}${search}`, headers, body: '' }
      const lead_id = searchParams.get('lead_id') ?? ''
      tries.set(lead_id, [...of(lead_id), received])
      const answer = answers.get(lead_id)?.shift() ?? 200
      if (answer !== 'hang') return { status: answer }
      return new Promise(resolve => {
        const timer = setTimeout(() => {
          received.hungUpAt = Date.now()
          resolve({ error: 'timeout' })
        }, timeoutMs)
        release.set(lead_id, () => {
          clearTimeout(timer)
          resolve({ status: 200 })
        })
      })
    },
  }
  const callbacks: Callbacks = {
    url: 'http://127.0.0.1:4011/callbacks?source=conformance',
    of,
    async wait(lead_id) {
      const until = Date.now() + patienceMs
      while (of(lead_id).length === 0 && Date.now() < until) await new Promise(resolve => setTimeout(resolve, 1))
      return of(lead_id)[0]
    },
    answer(lead_id, next) {
      answers.set(lead_id, [...next])
      release.get(lead_id)?.()
    },
    inTurn(run) {
      const result = turn.then(run)
      turn = result.catch(() => undefined)
      return result
    },
  }
  return { callbacks, dialer }
}
