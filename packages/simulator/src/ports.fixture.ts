import type { CallbackRequest, CallbackResponse } from './egress/guarded-egress.ts'
import type { Timer } from './time/clock.ts'

/** Noon of an ordinary day. */
export const noon = Date.UTC(2026, 5, 15, 12)

/** Time that passes when a test lets it. */
export interface HandMadeTime {
  readonly clock: { now(): number }
  readonly timer: Timer
  /** The number of waiting timers. */
  waiting(): number
  /** Lets time pass, timer by timer; between them all that was started by one is finished. */
  advance(ms: number): Promise<void>
}

/** Time by hand, from noon on. */
export function handMadeTime(): HandMadeTime {
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

/** The number of running operations of Web Crypto. They run on threads of their own, so no number of turns is enough for them. */
const running = countCrypto()

function countCrypto(): { count: number } {
  const key = Symbol.for('running operations of Web Crypto')
  const { subtle } = crypto as unknown as { subtle: Record<string | symbol, unknown> }
  // Each file of tests evaluates this module anew, and all of them have one Web Crypto.
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

/** Waits until all is finished that goes on without real time passing: promises, and the threads of Web Crypto. */
export async function settled(): Promise<void> {
  for (let quiet = 0; quiet < 20; quiet = running.count > 0 ? 0 : quiet + 1)
    await new Promise(resolve => setImmediate(resolve))
}

/** An egress that goes nowhere: it keeps what was sent and gives the response that the test sets. */
export function egressByHand(
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
