import type { Timer } from './clock.ts'

// Concurrency primitives: locks, queues, turns, notifications.

/** Lets shared holders run concurrently, and an exclusive holder alone. */
export interface ReadWriteLock {
  shared<Result>(run: () => Promise<Result>): Promise<Result>
  /** Waits for the current shared holders, then runs alone. New holders wait in the meantime. */
  exclusive<Result>(run: () => Promise<Result>): Promise<Result>
}

/** Creates an unlocked lock. */
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

/** Runs functions one after the other, in call order. */
export type SerialQueue = <Result>(run: () => Result | Promise<Result>) => Promise<Result>

/** Creates an empty queue. A failure does not stop the next function. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return run => {
    const turn = last.then(run)
    last = turn.catch(() => undefined)
    return turn
  }
}

/** Coalesces calls: runs never overlap, and calls during a run share the next one. */
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

/** Resolves after a turn of the event loop. Uses a message rather than a timer: timers are slower, and tests fake them. */
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

/** Wakes waiting calls. */
export interface Notifier {
  /** Wakes all waiting calls. */
  notify(): void
  /**
   * Calls `find` now and after each notification, and resolves to its first result. Resolves to undefined after `ms`
   * milliseconds of real time, or when the notifier has ended. Once `gone` is aborted, resolves without calling `find`
   * again.
   */
  waitFor<Found>(find: () => Promise<Found | undefined>, ms: number, gone?: AbortSignal): Promise<Found | undefined>
  end(): void
  /** Returns true once `end` was called. */
  hasEnded(): boolean
}

/** Creates a notifier with timeouts in real time. */
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
      // Registers before the first `find`, so that no notification is missed.
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
