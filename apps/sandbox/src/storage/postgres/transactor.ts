import { setTimeout as wait } from 'node:timers/promises'
import { StorageUnavailable } from '@lead-distribution/simulator'
import type { Transactor } from '../sql/statement.ts'
import { createTransactionQueue, tooLate, type Job as WaitingJob } from '../sql/transaction-queue.ts'
import type { PostgresConnection } from './connection.ts'
import { ConnectionLost, isTransient } from './errors.ts'
import { beginTransaction, isCommitted, type Scope, type Transaction } from './transaction.ts'

/** How much shares one commit, how long a work may take, and how often it may run. */
export interface LaneLimits {
  /** Works in one commit, at most. */
  readonly works: number
  /** A group that has not settled after this long is given up with its connection, milliseconds. */
  readonly groupMs: number
  /** How often a work runs before it is given up. */
  readonly runs: number
  /** The command that begins a transaction. Default `begin`. */
  readonly begin?: string
}

const defaultLimits: LaneLimits = { works: 128, groupMs: 20_000, runs: 8 }

interface Job extends WaitingJob {
  /** How often it ran. */
  runs: number
  /** After its group failed it runs in a transaction of its own: then what fails is known to be its own. */
  alone: boolean
}

/** A job that ran, and how its promise settles after the commit. */
interface Done {
  readonly job: Job
  readonly error?: unknown
  readonly spoils?: boolean
  readonly settle: () => void
}

/**
 * Transactions on one connection, one after the other. Works that wait together share one, and run at the same time: they
 * wait for the same answers, so that a hundred take as many round trips as one. Each may see what its neighbours wrote:
 * either all of it is committed or none. After anything went wrong in a group, each of its works runs again by itself. So
 * does a group whose connection was lost, except where its commit was on the way: then the database is asked whether it
 * was done.
 */
export function createLane(
  reconnect: () => Promise<PostgresConnection>,
  limits: LaneLimits = defaultLimits,
): Transactor {
  let connection: PostgresConnection | undefined

  async function connected(): Promise<PostgresConnection> {
    if (!connection || connection.isLost()) connection = await reconnect()
    return connection
  }

  return createTransactionQueue<Job>({
    // A work that throws at once rejects, so that its neighbours go on.
    wait: ({ work, ...job }) => ({ ...job, work: async executor => work(executor), runs: 0, alone: false }),
    async runGroup(waiting) {
      try {
        await runGroup(await connected(), waiting, limits, connected)
      } catch (error) {
        for (const { reject } of waiting.splice(0)) reject(error)
      }
    },
    close: () => connection?.close(),
  })
}

/** Runs waiting jobs in one transaction, as many as may share it, and settles them or has them wait again. */
async function runGroup(
  connection: PostgresConnection,
  waiting: Job[],
  limits: LaneLimits,
  connected: () => Promise<PostgresConnection>,
): Promise<void> {
  const jobs = waiting.splice(0, countTogether(waiting, limits.works))
  const transaction = beginTransaction(connection, limits.begin)
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => undefined)
  const timer = setTimeout(() => {
    connection.abandon()
    late.reject(new Error(tooLate(limits.groupMs)))
  }, limits.groupMs)
  let done: Done[] = []
  try {
    done = await Promise.race([late.promise, Promise.all(jobs.map(job => runJob(transaction, job)))])
    // What a work failed with may come from a neighbour; of one by itself it is its own.
    const spoiled = done.find(({ spoils }) => spoils)
    if (spoiled) throw transaction.failure() ?? spoiled.error
    await transaction.commit()
    for (const { settle } of done) settle()
  } catch (error) {
    await transaction.rollBack()
    const number = transaction.number()
    if (error instanceof ConnectionLost && transaction.commits() && number !== undefined)
      await settleInDoubt(done, number, waiting, limits, connected)
    else runAgain(jobs, error, waiting, limits)
  } finally {
    clearTimeout(timer)
  }
}

/** How many of those that wait share the next transaction. */
function countTogether(waiting: readonly Job[], most: number): number {
  const alone = waiting.findIndex(job => job.alone)
  return Math.max(1, Math.min(most, alone === -1 ? waiting.length : alone))
}

/** Runs one job. One that fails after it wrote spoils the transaction, and so does a statement that PostgreSQL refused. */
async function runJob(transaction: Transaction, job: Job): Promise<Done> {
  const scope: Scope = transaction.open()
  job.runs += 1
  try {
    const value = await job.work(scope)
    return { job, settle: () => job.resolve(value) }
  } catch (error) {
    const spoils = scope.wrote() || transaction.failure() !== undefined
    return { job, error, spoils, settle: () => job.reject(error) }
  } finally {
    scope.close()
  }
}

/** Has works wait again, each by itself; rejects the one that failed by itself, and those that ran too often. */
function runAgain(jobs: readonly Job[], error: unknown, waiting: Job[], { runs }: LaneLimits): void {
  const isOwn = jobs.length === 1 && !(error instanceof ConnectionLost) && !isTransient(error)
  const again = jobs.filter(job => {
    if (!isOwn && job.runs < runs) return true
    job.reject(error)
    return false
  })
  for (const job of again) job.alone = true
  waiting.unshift(...again)
}

/** How often, and how long apart in milliseconds, the database is asked for a commit that was on its way. */
const inDoubt = { questions: 25, ms: 200 }

const notDone = 'The connection to PostgreSQL was lost again and again before anything was stored: try again.'

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
      if (committed === false)
        runAgain(
          done.map(({ job }) => job),
          new ConnectionLost(notDone),
          waiting,
          limits,
        )
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
