import type { Timer } from '@lead-distribution/simulator'

/** Timers that keep the process alive only while a response is pending. */
export interface BrowserTimers extends Timer {
  /** Runs work that a caller awaits; the timers keep the process alive until it is done. */
  whileAwaited<Outcome>(run: () => Promise<Outcome>): Promise<Outcome>
}

/** The methods of Node's timers that browsers lack. */
interface Keeping {
  ref?(): void
  unref?(): void
}

/** The longest delay of a timer, milliseconds; with a longer one, it fires immediately. */
const maxWaitMs = 2 ** 31 - 1

/**
 * Creates timers on top of the global ones. Looks up the globals at each use, so that fake timers work. A callback's
 * retry in an hour does not keep a test process alive; a deliberately late response does.
 */
export function createBrowserTimers(): BrowserTimers {
  const timers = new Set<Keeping>()
  let awaited = 0
  return {
    after(ms, run) {
      const id = setTimeout(
        () => {
          timers.delete(timer)
          run()
        },
        Math.min(Math.max(0, ms), maxWaitMs),
      )
      const timer = id as unknown as Keeping
      if (awaited === 0) timer.unref?.()
      timers.add(timer)
      return () => {
        timers.delete(timer)
        clearTimeout(id)
      }
    },
    async whileAwaited(run) {
      if (awaited++ === 0) for (const timer of timers) timer.ref?.()
      try {
        return await run()
      } finally {
        if (--awaited === 0) for (const timer of timers) timer.unref?.()
      }
    },
  }
}
