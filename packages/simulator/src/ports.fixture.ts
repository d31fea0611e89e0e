import type { CallbackRequest, CallbackResponse } from './egress/guarded-egress.ts'
import type { Timer } from './time/clock.ts'

/** Noon on an ordinary day. */
export const noon = Date.UTC(2026, 5, 15, 12)

/** A manual clock and timer. */
export interface ManualTime {
  readonly clock: { now(): number }
  readonly timer: Timer
  /** The number of waiting timers. */
  waiting(): number
  /** Advances time timer by timer, and lets the work that each starts finish before the next. */
  advance(ms: number): Promise<void>
}

/** Creates a manual clock that starts at noon. */
export function manualTime(): ManualTime {
  let now = noon
  const timers = new Map<symbol, { at: number; run: () => void }>()
  return {
    clock: { now: () => now },
    timer: {
      after(ms, run) {
        const id = Symbol('timer')
        timers.set(id, { at: now + Math.max(0, ms), run })
        return () => void timers.delete(id)
      },
    },
    waiting: () => timers.size,
    async advance(ms) {
      const end = now + ms
      await settled()
      for (let guard = 0; guard < 10_000; guard++) {
        const [next] = [...timers].sort(([, a], [, b]) => a.at - b.at)
        if (!next || next[1].at > end) break
        timers.delete(next[0])
        now = next[1].at
        next[1].run()
        await settled()
      }
      now = end
    },
  }
}

/**
 * The number of running Web Crypto operations. They run on separate threads, so no number of event loop turns is enough.
 */
const running = countCrypto()

function countCrypto(): { count: number } {
  const key = Symbol.for('running operations of Web Crypto')
  const { subtle } = crypto as unknown as { subtle: Record<string | symbol, unknown> }
  // Each test file evaluates this module again, but all share one Web Crypto.
  if (subtle[key]) return subtle[key] as { count: number }
  const counted = { count: 0 }
  for (const name of ['sign', 'verify', 'digest', 'importKey']) {
    const original = (subtle[name] as (...given: unknown[]) => Promise<unknown>).bind(subtle)
    subtle[name] = (...given: unknown[]) => {
      counted.count++
      return original(...given).finally(() => counted.count--)
    }
  }
  subtle[key] = counted
  return counted
}

/** Waits for everything that needs no real time: promises and Web Crypto threads. */
export async function settled(): Promise<void> {
  for (let quiet = 0; quiet < 20; quiet = running.count > 0 ? 0 : quiet + 1)
    await new Promise(resolve => setImmediate(resolve))
}

/** An egress that records requests and returns the response that the test sets. */
export function manualEgress(
  answer: (nth: number, sent: CallbackRequest) => CallbackResponse = () => ({ status: 200 }),
) {
  const sent: CallbackRequest[] = []
  return {
    sent,
    async send(callback: CallbackRequest) {
      sent.push(callback)
      return answer(sent.length, callback)
    },
  }
}
