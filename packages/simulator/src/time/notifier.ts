import type { Timer } from './clock.ts'

/** Wakes calls that wait for something to happen. */
export interface Notifier {
  /** Something happened: wakes all waiting calls. */
  notify(): void
  /**
   * Resolves to what `find` finds, which is asked now and after each notification; to undefined when it found nothing
   * for so many milliseconds of real time, or when waiting has ended. Once `gone` is aborted it resolves without asking.
   */
  waitFor<Found>(find: () => Promise<Found | undefined>, ms: number, gone?: AbortSignal): Promise<Found | undefined>
  end(): void
  /** Returns true once waiting has ended. */
  hasEnded(): boolean
}

/** A notifier over real time. */
export function createNotifier(timer: Timer): Notifier {
  const waiting = new Set<() => void>()
  let ended = false
  const wakeAll = () => {
    for (const wake of [...waiting]) wake()
  }
  return {
    notify: wakeAll,
    async waitFor(find, ms, gone) {
      let over = false
      let next = Promise.withResolvers<void>()
      // Listens before it looks: what happens in between is not missed.
      const wake = () => next.resolve()
      waiting.add(wake)
      gone?.addEventListener('abort', wake)
      const cancel = timer.after(ms, () => {
        over = true
        wake()
      })
      try {
        for (;;) {
          if (gone?.aborted) return undefined
          const last = over || ended
          const found = await find()
          if (found !== undefined || last) return found
          await next.promise
          next = Promise.withResolvers<void>()
        }
      } finally {
        cancel()
        waiting.delete(wake)
        gone?.removeEventListener('abort', wake)
      }
    },
    end() {
      ended = true
      wakeAll()
    },
    hasEnded: () => ended,
  }
}
