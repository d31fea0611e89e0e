import type { Timer } from '@lead-distribution/simulator'

/** Timers that keep a process alive only while somebody waits for a reply. */
export interface PageTime extends Timer {
  /** Runs something that somebody waits for. */
  whileAwaited<Outcome>(run: () => Promise<Outcome>): Promise<Outcome>
}

/** What a timer of Node has and one of a browser has not. */
interface Keeping {
  ref?(): void
  unref?(): void
}

/** The longest that a timer of JavaScript waits, milliseconds: with more it would go off at once. */
const longestWaitMs = 2 ** 31 - 1

/**
 * Time by the global timers, looked up at each use, so that fake timers take their place whenever they are put there.
 * A callback's next try in an hour holds up no test process; a reply that comes late on purpose does, up to then.
 */
export function createPageTime(): PageTime {
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
