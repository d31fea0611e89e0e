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
export function joined(run: () => Promise<void>): () => Promise<void> {
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
