import { setImmediate } from 'node:timers/promises'
import type { Executor, Transactor } from './statement.ts'

/** A function that waits for its transaction. */
export interface Job {
  readonly work: (executor: Executor) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The options of a transaction queue. */
export interface QueueOptions<Waiting extends Job> {
  /** A waiting function. */
  readonly wait: (job: Job) => Waiting
  /** Takes some of the waiting functions, oldest first, and runs them in one transaction. */
  readonly runGroup: (waiting: Waiting[]) => Promise<void>
  /** Closes the connection. */
  readonly close: () => Promise<void> | void
}

/**
 * Runs transactions on one connection, one group at a time. A group consists of those that arrive in one turn of the
 * event loop.
 */
export function createTransactionQueue<Waiting extends Job>(options: QueueOptions<Waiting>): Transactor {
  const waiting: Waiting[] = []
  let running: Promise<void> | undefined
  let closed = false

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      // Requests that the event loop is reading right now still join the group.
      await setImmediate()
      await options.runGroup(waiting)
    }
    running = undefined
  }

  const enqueue = <T>(work: (executor: Executor) => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      waiting.push(options.wait({ work, resolve: resolve as Job['resolve'], reject }))
      running ??= drain()
    })

  const transact: Transactor['transact'] = work =>
    closed ? Promise.reject(new Error('The storage is closed: open it again to use it.')) : enqueue(work)

  return {
    transact,
    read: transact,
    async close(last) {
      if (closed) return
      closed = true
      await last?.(enqueue)
      await running
      await options.close()
    },
  }
}

/** Returns the error for a transaction that took too long. */
export const tooLate = (ms: number) =>
  `A transaction did not settle within ${ms} ms and was rolled back: await only its tables inside its function, and start no other transaction there.`
