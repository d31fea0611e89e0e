import type { Storage } from '@lead-distribution/engine'
import { makeReports } from '../advertisers/advertiser-network.ts'
import type { Attempt, Delivery, TenantSlots } from '../callbacks/delivery.ts'
import type { LeasedCallback, ScheduledReport } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { TenantClock } from '../time/clock.ts'
import type { DueJobs } from '../time/scheduler.ts'

export interface DueJobsOptions {
  readonly clock: TenantClock
  readonly storage: Storage<SandboxTables>
  readonly delivery: Delivery
  readonly slots: TenantSlots
  /** Reports an event through the service's own endpoint. */
  readonly report: (report: ScheduledReport) => Promise<unknown>
  /** Takes over what other processes changed, if there are others. */
  readonly refresh?: (() => Promise<void>) | undefined
  /** Called when a job has ended, for the next run to record it. */
  readonly onEnded: () => void
  /** Called when jobs were recorded. */
  readonly onDone: () => void
}

/** The result of a job: the attempt to record, or how many reports were made. */
type Result = { readonly attempt: Attempt; readonly made?: never } | { readonly made: number; readonly attempt?: never }

/** A delivery, or some reports that are made one after the other. */
interface Job {
  readonly kind: 'delivery' | 'reports'
  /** The time when it was due; for several reports, the first. */
  readonly due: number
  /** Once it has ended. */
  result?: Result
  error?: { readonly cause: unknown }
}

/** The reports and callbacks that are due, the callbacks leased. */
interface Due {
  readonly callbacks: readonly LeasedCallback[]
  readonly reports: readonly ScheduledReport[]
  /** The time when the next job that has not started is due. */
  readonly nextDue: number | undefined
  /** A time before which no callback was due that waits for a slot; undefined where none waits. */
  readonly backlog: number | undefined
}

/**
 * Runs the jobs of a tenant when they fall due: reports of the simulated advertiser, and callbacks. One transaction records
 * the jobs that have ended and takes those that are due, as many callbacks as there are slots, so that no more are in memory.
 */
export function createDueJobs(options: DueJobsOptions): DueJobs {
  const { storage, delivery, slots, report, onDone } = options
  const jobs = createJobs(options.onEnded)
  const limitWaits = createWaitLimiter(options)
  let backlog: number | undefined

  /** Records what has ended and takes what is due, in one transaction; holds a slot for each callback that it leased. */
  async function recordAndTake(host: string, mayStart: boolean) {
    let ended: readonly Job[] = []
    let done = 0
    let unused = 0
    try {
      const due = await storage.transact(async tables => {
        await limitWaits.apply(tables)
        // Looked up now, so that jobs that ended while the storage was busy are recorded too.
        ended = jobs.ended()
        done = 0
        for (const { result } of ended)
          done += result?.attempt ? Number(await result.attempt.record(tables)) : (result?.made ?? 0)
        // A storage may run a transaction again from its beginning: the slots are taken only once.
        if (mayStart && unused === 0) unused = slots.take(host)
        return mayStart ? takeDue(options, tables, unused, jobs.running()) : nothingDue
      })
      limitWaits.applied()
      unused -= due.callbacks.length
      return { ended: ended.flatMap(({ result }) => result ?? []), done, due }
    } catch (error) {
      // A later run would record them, but there is none while nothing may start.
      if (!mayStart) ended = jobs.ended()
      throw error
    } finally {
      // If they could not be recorded, their leases expire and they are tried again.
      jobs.remove(ended)
      slots.giveBack(host, unused)
    }
  }

  async function deliver(callback: LeasedCallback, host: string): Promise<Result> {
    try {
      const attempt = await delivery.attempt(callback)
      slots.end(host, attempt.responded)
      return { attempt }
    } catch (error) {
      // The sandbox failed, such as its storage: that says nothing about the receiver.
      slots.giveBack(host, 1)
      throw error
    }
  }

  const make = (reports: readonly ScheduledReport[]) =>
    makeReports(reports, storage, report).then(() => ({ made: reports.length }))

  return {
    async run(mayStart) {
      // If none may start, none waits for a slot, even if this run fails.
      if (!mayStart) backlog = undefined
      jobs.throwError()
      if (options.refresh) await options.refresh()
      const host = delivery.host()
      const { ended, done, due } = await recordAndTake(host, mayStart)
      const { callbacks, reports, nextDue } = due
      for (const callback of callbacks) jobs.start('delivery', callback.due_at, () => deliver(callback, host))
      if (reports.length > 0) jobs.start('reports', reports[0]?.due_at, () => make(reports))
      backlog = due.backlog
      if (backlog !== undefined) slots.wait(host)
      for (const { attempt } of ended) attempt?.onRecorded()
      if (ended.length > 0) onDone()
      return { done, nextDue }
    },
    unfinished: () => earliest([backlog, ...jobs.all().map(({ due }) => due)]),
  }
}

/** Keeps the jobs that are running, and those that have ended and were not taken yet. */
function createJobs(onEnded: () => void) {
  const jobs = new Set<Job>()
  return {
    all: () => [...jobs],
    running: () => [...jobs].filter(({ result }) => !result),
    start(kind: Job['kind'], due = 0, run: () => Promise<Result>): void {
      const job: Job = { kind, due }
      jobs.add(job)
      const end = (ended: Pick<Job, 'result' | 'error'>) => {
        Object.assign(job, ended)
        onEnded()
      }
      run().then(
        result => end({ result }),
        (cause: unknown) => end({ error: { cause } }),
      )
    },
    ended: () => [...jobs].filter(({ result }) => result),
    remove(ended: readonly Job[]): void {
      for (const job of ended) jobs.delete(job)
    },
    /** Throws the error of a job that failed, if any; another failed job gets a run of its own. */
    throwError(): void {
      const [failed, another] = [...jobs].filter(({ error }) => error)
      if (!failed) return
      jobs.delete(failed)
      if (another) onEnded()
      throw failed.error?.cause
    },
  }
}

const nothingDue: Due = { callbacks: [], reports: [], nextDue: undefined, backlog: undefined }

/** Takes the due reports, and leases as many due callbacks as there are slots. */
async function takeDue(
  { clock, delivery }: DueJobsOptions,
  tables: SandboxTables,
  slots: number,
  running: readonly Job[],
): Promise<Due> {
  const now = clock.now()
  const makesReports = running.some(({ kind }) => kind === 'reports')
  const reports = makesReports ? [] : await tables.listDueReports(now, reportsInARow)
  const callbacks = slots > 0 ? await delivery.lease(tables, now, slots) : []
  // Running jobs are still due. Jobs of other processes are looked at once nothing is running here.
  const isIdle = running.length + callbacks.length + reports.length === 0
  const after = isIdle ? undefined : now
  const nextDue = earliest([await delivery.nextDue(tables, after), await tables.nextReportDue(after)])
  const takesAll = callbacks.length < slots || delivery.isHeld()
  const isFull = !takesAll && !(isIdle && (nextDue ?? Number.POSITIVE_INFINITY) > now)
  return { callbacks, reports, nextDue, backlog: isFull ? (callbacks.at(-1)?.due_at ?? 0) : undefined }
}

/** The number of reports that are made before the due ones are looked up again. */
const reportsInARow = 16

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter(time => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** Keeps jobs from waiting longer because the machine's clock was set back. */
function createWaitLimiter({ clock }: Pick<DueJobsOptions, 'clock'>) {
  let setBack = 0
  let isFirst = true
  return {
    async apply(tables: SandboxTables): Promise<void> {
      setBack += clock.takeSetBack()
      if (setBack > 0) await tables.bringForward(setBack, clock.now())
      // The clock may have been set back while nothing ran: no wait becomes longer by that.
      if (isFirst) await tables.limitRetries(clock.now())
    },
    applied(): void {
      setBack = 0
      isFirst = false
    },
  }
}
