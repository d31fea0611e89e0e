import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { StorageUnavailable } from '@lead-distribution/simulator'
import type { Executor, Transactor } from '../sql/statement.ts'
import type { PostgresConnection } from './connection.ts'
import { ConnectionLost, isTransient } from './errors.ts'
import { beginTransaction, isCommitted, type Scope, type Transaction } from './transaction.ts'

/** How much shares one commit, how long a work may take, and how often it may run. */
export interface LaneLimits {
  /** Works in one commit, at most. */
  readonly works: number
  /** No further work joins after this long, milliseconds: others wait for what a group has claimed. */
  readonly ms: number
  /** A group that has not settled after this long is given up with its connection, milliseconds. */
  readonly groupMs: number
  /** How often a work runs before it is given up. */
  readonly runs: number
}

const defaultLimits: LaneLimits = { works: 128, ms: 10, groupMs: 30_000, runs: 8 }

interface Job {
  readonly work: (executor: Executor) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  /** How often it ran. */
  runs: number
  /** After its group failed it runs in a transaction of its own: then what fails is known to be its own. */
  alone: boolean
}

/** A job that ran, and how its promise settles after the commit. */
interface Done {
  readonly job: Job
  readonly settle: () => void
}

/**
 * Transactions on one connection, one after the other; those that wait together share one commit. A group that PostgreSQL
 * refuses runs again, each work by itself. So does one whose connection was lost, except where its commit was on the way:
 * then the database is asked whether it was done.
 */
export function createLane(
  reconnect: () => Promise<PostgresConnection>,
  limits: LaneLimits = defaultLimits,
): Transactor {
  const waiting: Job[] = []
  let running: Promise<void> | undefined
  let connection: PostgresConnection | undefined
  let closed = false

  async function connected(): Promise<PostgresConnection> {
    if (!connection || connection.isLost()) connection = await reconnect()
    return connection
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      // The requests that the event loop is reading just now still come in before the group begins.
      await setImmediate()
      try {
        await runGroup(await connected(), waiting, limits, connected)
      } catch (error) {
        for (const { reject } of waiting.splice(0)) reject(error)
      }
    }
    running = undefined
  }

  const enqueue = <T>(work: (executor: Executor) => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const settle = { resolve: (value: unknown) => resolve(value as T), reject }
      waiting.push({ work: async executor => work(executor), ...settle, runs: 0, alone: false })
      running ??= drain()
    })

  return {
    transact: work =>
      closed ? Promise.reject(new Error('The storage is closed: open it again to use it.')) : enqueue(work),
    async close(last) {
      if (closed) return
      closed = true
      await last?.(enqueue)
      await running
      await connection?.close()
    },
  }
}

/** Runs waiting jobs in one transaction, as many as the limits allow, and settles them or has them wait again. */
async function runGroup(
  connection: PostgresConnection,
  waiting: Job[],
  limits: LaneLimits,
  connected: () => Promise<PostgresConnection>,
): Promise<void> {
  const transaction = beginTransaction(connection)
  // A statement, a commit or a work that never ends would stop everything behind it.
  const timer = setTimeout(() => connection.abandon(), limits.groupMs)
  const done: Done[] = []
  try {
    const end = performance.now() + limits.ms
    do {
      const job = waiting.shift() as Job
      const ran = await runJob(transaction, job)
      if (ran === 'spoiled') {
        waiting.unshift(...done.map(({ job }) => job))
        return await transaction.rollBack()
      }
      done.push(ran)
    } while (!transaction.failure() && joins(waiting[0], done) && done.length < limits.works && performance.now() < end)
    await transaction.commit()
    for (const { settle } of done) settle()
  } catch (error) {
    await transaction.rollBack()
    const number = transaction.number()
    if (error instanceof ConnectionLost && transaction.commits() && number !== undefined)
      await settleInDoubt(done, number, waiting, limits, connected)
    else runAgain(done, error as Error, waiting, limits)
  } finally {
    clearTimeout(timer)
  }
}

const joins = (next: Job | undefined, done: readonly Done[]) => next !== undefined && !next.alone && !done[0]?.job.alone

/** Runs one job; returns how its promise settles once the transaction is committed, or that it took itself back. */
async function runJob(transaction: Transaction, job: Job): Promise<Done | 'spoiled'> {
  const scope: Scope = transaction.open()
  job.runs += 1
  try {
    const value = await job.work(scope)
    return { job, settle: () => job.resolve(value) }
  } catch (error) {
    // What the transaction failed with decides: the work may have been the next one to hear of it.
    if (transaction.failure() || !scope.wrote()) return { job, settle: () => job.reject(error) }
    job.reject(error)
    return 'spoiled'
  } finally {
    scope.close()
  }
}

/** Has works wait again, each by itself; rejects those that failed by themselves, or too often. */
function runAgain(done: readonly Done[], error: Error, waiting: Job[], { runs }: LaneLimits): void {
  const isOwn = done.length === 1 && !(error instanceof ConnectionLost) && !isTransient(error)
  const again = done
    .map(({ job }) => job)
    .filter(job => {
      if (!isOwn && job.runs < runs) return true
      job.reject(error)
      return false
    })
  for (const job of again) job.alone = true
  waiting.unshift(...again)
}

/** How often, and how long apart in milliseconds, the database is asked for a commit that was on its way. */
const inDoubt = { questions: 25, ms: 200 }

/** Finds out whether a commit whose answer is missing was done. */
async function settleInDoubt(
  done: readonly Done[],
  number: string,
  waiting: Job[],
  limits: LaneLimits,
  connected: () => Promise<PostgresConnection>,
): Promise<void> {
  let error: unknown
  for (let question = 0; question < inDoubt.questions; question++) {
    try {
      const committed = await isCommitted(await connected(), number)
      if (committed === true) for (const { settle } of done) settle()
      if (committed === false) runAgain(done, new ConnectionLost('The commit was not done.'), waiting, limits)
      if (committed !== undefined) return
    } catch (failed) {
      error = failed
    }
    await wait(inDoubt.ms)
  }
  const unknown = new StorageUnavailable(
    'Whether the last changes were stored is not known: look before you repeat them.',
    {
      cause: error,
    },
  )
  for (const { job } of done) job.reject(unknown)
}
