import type { Timer } from '../ports/timer.ts'

/** Tells those who wait that something happened. */
export interface Signal {
  /** Wakes all who wait. */
  raise(): void
  /**
   * Answers what `look` finds, which is asked now and after each signal; undefined when it found nothing for so many
   * milliseconds of real time, or when all is over.
   */
  waitFor<Found>(look: () => Promise<Found | undefined>, ms: number): Promise<Found | undefined>
  /** Ends all waiting. */
  end(): void
}

/** A signal over real time. */
export function createSignal(timer: Timer): Signal {
  const waiting = new Set<() => void>()
  let ended = false
  const wakeAll = () => {
    for (const wake of [...waiting]) wake()
  }
  return {
    raise: wakeAll,
    async waitFor(look, ms) {
      let over = false
      let next = Promise.withResolvers<void>()
      // Listens before it looks: what happens in between is not missed.
      const wake = () => next.resolve()
      waiting.add(wake)
      const cancel = timer.after(ms, () => {
        over = true
        wake()
      })
      try {
        for (;;) {
          const last = over || ended
          const found = await look()
          if (found !== undefined || last) return found
          await next.promise
          next = Promise.withResolvers<void>()
        }
      } finally {
        cancel()
        waiting.delete(wake)
      }
    },
    end() {
      ended = true
      wakeAll()
    },
  }
}
