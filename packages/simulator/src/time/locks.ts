import type { Timer } from './clock.ts'

// What work waits by: locks, queues, turns, notifications.

/** Lets shared work run together, and exclusive work by itself. */
export interface ReadWriteLock {
  shared<Result>(run: () => Promise<Result>): Promise<Result>
  /** Waits for the shared work under way, then runs by itself; what comes meanwhile waits. */
  exclusive<Result>(run: () => Promise<Result>): Promise<Result>
}

/** A lock that nothing holds. */
export function createReadWriteLock(): ReadWriteLock {
  let sharing = 0
  let onNoneSharing: (() => void) | undefined
  let taken: Promise<unknown> | undefined

  return {
    async shared(run) {
      while (taken) await taken
      sharing += 1
      try {
        return await run()
      } finally {
        sharing -= 1
        if (sharing === 0) onNoneSharing?.()
      }
    },
    async exclusive(run) {
      while (taken) await taken
      const over = Promise.withResolvers<void>()
      taken = over.promise
      try {
        if (sharing > 0) await new Promise<void>(resolve => (onNoneSharing = resolve))
        return await run()
      } finally {
        onNoneSharing = undefined
        taken = undefined
        over.resolve()
      }
    },
  }
}

/** Runs work one after the other, in the order in which it comes. */
export type SerialQueue = <Result>(run: () => Result | Promise<Result>) => Promise<Result>

/** An empty queue. Work that fails does not stop the work after it. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return run => {
    const turn = last.then(run)
    last = turn.catch(() => undefined)
    return turn
  }
}

/** Runs of a work one after the other; calls that come during one share the next. */
export function coalesce(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  function start(): Promise<void> {
    running = run().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (!running) return start()
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return start()
      })
    return next
  }
}

/** Resolves after other work had its turn. A message, not a timer: timers are slower, and tests fake them. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}

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
