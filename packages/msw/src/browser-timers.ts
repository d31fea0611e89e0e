import type { Timer } from '@lead-distribution/simulator'

/** Timers that keep a process alive only while a response is awaited. */
export interface BrowserTimers extends Timer {
  /** Runs work that a caller awaits. */
  whileAwaited<Outcome>(run: () => Promise<Outcome>): Promise<Outcome>
}

/** What a timer has in Node, and not in a browser. */
interface Keeping {
  ref?(): void
  unref?(): void
}

/** The longest delay of a timer, milliseconds: a longer one would fire at once. */
const longestWaitMs = 2 ** 31 - 1

/**
 * The global timers, looked up at each use, so that fake timers work whenever they are installed. A callback's retry in
 * an hour does not keep a test process alive; a response that is late on purpose does.
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
        Math.min(Math.max(0, ms), longestWaitMs),
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
