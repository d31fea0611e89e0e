import type { Executor, Transactor } from '../sql/statement.ts'
import { createTransactionQueue, type Job, tooLate } from '../sql/transaction-queue.ts'
import type { Checkpointer } from './checkpointer.ts'
import type { SqliteConnection } from './connection.ts'

/** Limits: functions per commit, and duration of a function. */
export interface GroupLimits {
  /** The maximum number of functions per commit. */
  readonly works: number
  /** The time after which no more functions join, milliseconds. */
  readonly ms: number
  /** The time limit of a function since its group began, milliseconds. */
  readonly workMs: number
}

/** The options of group commits. */
export interface GroupCommitOptions {
  readonly limits?: GroupLimits | undefined
  /** Checkpoints the connection's log in the background. Without it, the connection does so itself. */
  readonly checkpointer?: Checkpointer | undefined
}

const defaultLimits: GroupLimits = { works: 256, ms: 10, workMs: 10_000 }

/** A job that ran, and how its promise settles after the commit. */
interface Done {
  readonly job: Job
  readonly settle: () => void
}

/**
 * Group commit on one connection. Functions that arrive in one turn of the event loop share one commit, which costs as
 * much as all their statements. If one rejects after a write, the whole group is rolled back, and the others are rerun
 * from the start. That is rare; a savepoint per function would avoid it, but cost a tenth of the throughput. All
 * promises settle after the commit.
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

/** Runs waiting functions in one commit, up to the limits, and settles them. */
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
    // Nothing of the group is stored.
    for (const { reject } of begun ? done.map(({ job }) => job) : waiting.splice(0)) reject(error)
    rollBack(connection)
    return
  } finally {
    watch.end()
  }
  for (const { settle } of done) settle()
}

/** Rolls back a failed group. If even that fails, the next group cannot begin, and is rolled back then. */
function rollBack(connection: SqliteConnection): void {
  try {
    if (connection.inTransaction()) connection.command('rollback')
  } catch {
    // Those that wait for the group already have its error.
  }
}

/** Runs one function; returns how its promise settles after the commit. */
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

/** A function's connection, while the function runs. */
interface Scope extends Executor {
  /** True if there is something to roll back. */
  wrote(): boolean
  close(): void
}

/** Opens a scope inside a transaction that has begun. */
function openScope(connection: SqliteConnection): Scope {
  let [open, wrote] = [true, false]

  /** Returns the connection, if the statement belongs to the running function. */
  function inside(): SqliteConnection {
    if (!open) throw new Error('This transaction has ended: await every call of its tables inside its function.')
    // Otherwise each statement would autocommit a function that is going to be reported as failed.
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
  /** Resolves to a function's outcome, or rejects on a time-out. */
  over<T>(work: Promise<T>): Promise<T>
  end(): void
}

/** Times out the function of a group that takes too long and would block everything after it. One timer per group. */
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
