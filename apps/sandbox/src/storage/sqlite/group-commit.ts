import type { Executor, Transactor } from '../sql/statement.ts'
import { createTransactionQueue, type Job, tooLate } from '../sql/transaction-queue.ts'
import type { Checkpointer } from './checkpointer.ts'
import type { SqliteConnection } from './connection.ts'

/** Limits: functions per commit, and duration of a function. */
export interface GroupLimits {
  /** Works in one commit, at most. */
  readonly works: number
  /** No further work joins after this long, milliseconds. */
  readonly ms: number
  /** A work that has not settled this long after its group began is given up, milliseconds. */
  readonly workMs: number
}

/** Options of group commits. */
export interface GroupCommitOptions {
  readonly limits?: GroupLimits | undefined
  /** Moves the log of the connection meanwhile. Without one the connection does so by itself. */
  readonly checkpointer?: Checkpointer | undefined
}

const defaultLimits: GroupLimits = { works: 256, ms: 10, workMs: 10_000 }

/** A job that ran, and how its promise settles after the commit. */
interface Done {
  readonly job: Job
  readonly settle: () => void
}

/**
 * Transactions on one connection, one after the other. Those that come in during one turn of the event loop share
 * one commit, which costs as much as all their statements. A work that rejects after it wrote takes the whole
 * group back: it is dropped, and its neighbours run again from the start. That is rare, and a savepoint for each
 * work, which would spare it, cost a tenth of the rate. All promises settle after the commit.
 */
export function createGroupCommit(
  connection: SqliteConnection,
  { limits = defaultLimits, checkpointer }: GroupCommitOptions = {},
): Transactor {
  const queue = createTransactionQueue({
    wait: job => job,
    async runGroup(waiting) {
      await checkpointer?.turn()
      await runGroup(connection, waiting, limits)
    },
    close: () => (checkpointer ? checkpointer.close(connection) : connection.close()),
  })
  return {
    ...queue,
    async background(work) {
      await checkpointer?.pace()
      return queue.transact(work)
    },
  }
}

/** Runs waiting jobs in one commit, as many as the limits allow, and settles them. */
async function runGroup(connection: SqliteConnection, waiting: Job[], limits: GroupLimits): Promise<void> {
  const done: Done[] = []
  const watch = watchWorks(limits.workMs)
  let begun = false
  try {
    connection.command('begin immediate')
    begun = true
    const end = performance.now() + limits.ms
    do {
      const job = waiting.shift() as Job
      const outcome = await runJob(connection, job, watch)
      if (outcome === 'spoiled') {
        connection.command('rollback')
        waiting.unshift(...done.map(({ job }) => job))
        return
      }
      done.push(outcome)
    } while (waiting.length > 0 && done.length < limits.works && performance.now() < end)
    connection.command('commit')
  } catch (error) {
    // Nothing of the group is kept.
    for (const { reject } of begun ? done.map(({ job }) => job) : waiting.splice(0)) reject(error)
    rollBack(connection)
    return
  } finally {
    watch.end()
  }
  for (const { settle } of done) settle()
}

/** Takes a group back that failed. Where even that fails, the next group cannot begin, and it is taken back then. */
function rollBack(connection: SqliteConnection): void {
  try {
    if (connection.inTransaction()) connection.command('rollback')
  } catch {
    // Those that wait for the group have its error already.
  }
}

/** Runs one job; returns how its promise settles once the group is committed. */
async function runJob(connection: SqliteConnection, job: Job, watch: Watch): Promise<Done | 'spoiled'> {
  const scope = openScope(connection)
  try {
    const value = await watch.over(job.work(scope))
    return { job, settle: () => job.resolve(value) }
  } catch (error) {
    if (connection.inTransaction() && !scope.wrote()) return { job, settle: () => job.reject(error) }
    job.reject(error)
    if (!connection.inTransaction()) throw error
    return 'spoiled'
  } finally {
    scope.close()
  }
}

/** The connection that a function gets, while it runs. */
interface Scope extends Executor {
  /** True if there is something to roll back. */
  wrote(): boolean
  close(): void
}

/** Opens a scope inside a transaction that was begun. */
function openScope(connection: SqliteConnection): Scope {
  let [open, wrote] = [true, false]

  /** The connection, as long as what is sent belongs to the work. */
  function inside(): SqliteConnection {
    if (!open) throw new Error('This transaction has ended: await every call of its tables inside its function.')
    // Otherwise each statement would commit by itself what is going to be reported as failed.
    if (!connection.inTransaction()) throw new Error('SQLite rolled the transaction back; nothing was stored.')
    return connection
  }
  const run: SqliteConnection['run'] = (statement, params) => {
    const connection = inside()
    wrote = true
    return connection.run(statement, params)
  }

  return {
    all: async (statement, params) => inside().all(statement, params),
    first: async (statement, params) => inside().first(statement, params),
    run: async (statement, params) => run(statement, params),
    async returning(statement, params) {
      const connection = inside()
      wrote = true
      return connection.all(statement, params)
    },
    write: (statement, params) => void run(statement, params),
    keys: connection.keys,
    wrote: () => wrote,
    close: () => {
      open = false
    },
  }
}

interface Watch {
  /** The outcome of a work, or a rejection where it takes too long. */
  over<T>(work: Promise<T>): Promise<T>
  end(): void
}

/** Gives the work of a group up that takes too long: it would stop everything behind it. One timer for the group. */
function watchWorks(ms: number): Watch {
  let giveUp: ((error: Error) => void) | undefined
  const timer = setTimeout(() => {
    giveUp?.(new Error(tooLate(ms)))
  }, ms)
  return {
    over: work =>
      new Promise((resolve, reject) => {
        giveUp = reject
        work.then(resolve, reject)
      }),
    end: () => clearTimeout(timer),
  }
}
