import { setTimeout as wait } from 'node:timers/promises'
import { StorageUnavailable } from '@lead-distribution/simulator'
import type { Transactor } from '../sql/statement.ts'
import { createTransactionQueue, tooLate, type Job as WaitingJob } from '../sql/transaction-queue.ts'
import type { PostgresConnection } from './connection.ts'
import { ConnectionLost, isTransient } from './errors.ts'
import { createReconnecting } from './session.ts'
import { beginTransaction, isCommitted, type Scope, type Transaction } from './transaction.ts'

/** Limits: functions per commit, duration of a function, and number of runs. */
export interface LaneLimits {
  /** The maximum number of functions per commit. */
  readonly works: number
  /** The maximum time that a function waits before it starts, milliseconds. */
  readonly waitMs: number
  /** The time limit of a group, after which it fails with its connection, milliseconds. */
  readonly groupMs: number
  /** The maximum number of runs of a function. */
  readonly runs: number
  /** The command that begins a transaction. */
  readonly begin: string
  /** If the response to a commit is lost: asks the database for the outcome, retries the functions, or fails them. */
  readonly inDoubt: 'ask' | 'run again' | 'fail'
}

interface Job extends WaitingJob {
  /** The deadline for starting, on `performance.now()`. */
  readonly until: number
  /** The number of attempts. */
  runs: number
  /** Set after its group failed: it then runs in its own transaction, so that an error is known to be its own. */
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
 * Group commit on one connection, one group after the other. Waiting functions share a transaction and run
 * concurrently, so that a hundred take as many round trips as one. They may see each other's writes: either all of them
 * are committed or none. After any error in a group, each function is retried alone. The same applies to a lost
 * connection, unless the commit was in flight: then the database is asked for the outcome.
 */
export function createLane(reconnect: () => Promise<PostgresConnection>, limits: LaneLimits): Transactor {
  const { connected, close } = createReconnecting(reconnect)
  return createTransactionQueue<Job>({
    wait: ({ work, ...job }) => ({
      ...job,
      // A function that throws synchronously rejects, without affecting the others.
      work: async executor => work(executor),
      until: performance.now() + limits.waitMs,
      runs: 0,
      alone: false,
    }),
    async runGroup(waiting) {
      rejectLate(waiting)
      if (waiting.length === 0) return
      try {
        await runGroup(await connected(), waiting, limits, connected)
      } catch (error) {
        for (const { reject } of waiting.splice(0)) reject(error)
      }
    },
    close,
  })
}

/** Functions run in order; retries come first, because they are older. */
function rejectLate(waiting: Job[]): void {
  while (waiting[0] && waiting[0].until <= performance.now()) waiting.shift()?.reject(new StorageUnavailable(waited))
}

const waited = 'The database was busy for too long, and nothing was stored. Try again.'

/** The query at the beginning of a transaction. */
const asked = { ask: 'number', fail: 'version', 'run again': 'nothing' } as const

/** Runs waiting functions in one transaction, up to the limit, and settles or requeues them. */
async function runGroup(
  connection: PostgresConnection,
  waiting: Job[],
  limits: LaneLimits,
  connected: () => Promise<PostgresConnection>,
): Promise<void> {
  const jobs = waiting.splice(0, countTogether(waiting, limits.works))
  const transaction = beginTransaction(connection, limits.begin, asked[limits.inDoubt])
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => undefined)
  const timer = setTimeout(() => {
    connection.abandon()
    late.reject(new Error(tooLate(limits.groupMs)))
  }, limits.groupMs)
  let done: Done[] = []
  try {
    done = await Promise.race([late.promise, Promise.all(jobs.map(job => runJob(transaction, job)))])
    // An error in a group may be caused by another function; alone, it is the function's own.
    const spoiled = done.find(({ spoils }) => spoils)
    if (spoiled) throw transaction.failure() ?? spoiled.error
    await transaction.commit()
    for (const { settle } of done) settle()
  } catch (error) {
    await transaction.rollBack()
    const number = transaction.number()
    const isInDoubt = error instanceof ConnectionLost && transaction.commits()
    if (isInDoubt && number !== undefined) await settleInDoubt(done, number, waiting, limits, connected)
    else if (isInDoubt && limits.inDoubt === 'fail') for (const { reject } of jobs) reject(error)
    else runAgain(jobs, error, waiting, limits)
  } finally {
    clearTimeout(timer)
  }
}

/** The number of waiting functions that share the next transaction. */
function countTogether(waiting: readonly Job[], most: number): number {
  const alone = waiting.findIndex(job => job.alone)
  return Math.max(1, Math.min(most, alone === -1 ? waiting.length : alone))
}

/**
 * Runs one function. If it fails after a write, or PostgreSQL refuses a statement, the whole transaction must be rolled
 * back.
 */
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

/** Requeues functions to run alone. Rejects those that failed alone, or have run too often or too long. */
function runAgain(jobs: readonly Job[], error: unknown, waiting: Job[], { runs }: LaneLimits): void {
  const isOwn = jobs.length === 1 && !(error instanceof ConnectionLost) && !isTransient(error)
  const again = jobs.filter(job => {
    if (!isOwn && job.runs < runs && job.until > performance.now()) return true
    job.reject(isOwn || error instanceof StorageUnavailable ? error : new StorageUnavailable(waited, { cause: error }))
    return false
  })
  for (const job of again) job.alone = true
  waiting.unshift(...again)
}

/** The interval and time limit of asking the database for the outcome of a commit, milliseconds. */
const asking = { intervalMs: 200, mostMs: 5_000 }

const notDone = 'The connection to PostgreSQL was lost repeatedly, and nothing was stored. Try again.'

/** Finds out if a commit without a response was done, until the first of its functions reaches its deadline. */
async function settleInDoubt(
  done: readonly Done[],
  number: string,
  waiting: Job[],
  limits: LaneLimits,
  connected: () => Promise<PostgresConnection>,
): Promise<void> {
  const jobs = done.map(({ job }) => job)
  const leftMs = Math.min(...jobs.map(({ until }) => until)) - performance.now()
  const isOver = wait(Math.min(Math.max(0, leftMs), asking.mostMs), 'over' as const, { ref: false })
  let error: unknown
  for (;;) {
    const asked = connected()
      .then(connection => isCommitted(connection, number))
      .catch(failed => {
        error = failed
      })
    const committed = await Promise.race([isOver, asked])
    if (committed === 'over') break
    if (committed === true) for (const { settle } of done) settle()
    if (committed === false) runAgain(jobs, new ConnectionLost(notDone), waiting, limits)
    if (typeof committed === 'boolean') return
    await wait(asking.intervalMs)
  }
  const unknown = new StorageUnavailable(
    'The connection was lost while committing. Check if the changes were stored before you repeat them.',
    { cause: error },
  )
  for (const job of jobs) job.reject(unknown)
}
