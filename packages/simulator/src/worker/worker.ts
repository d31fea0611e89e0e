import type { AttemptOutcome, Clock, Storage } from '@lead-distribution/engine'
import { makeReports } from '../advertisers/advertisers.ts'
import {
  type CallbackContext,
  type CallbackResult,
  deliver,
  hostOf,
  isHeld,
  leaseCallbacks,
  nextCallbackDue,
  recordCallback,
} from '../callbacks/deliver.ts'
import type { CallbackSlots, TenantSlots } from '../callbacks/slots.ts'
import type { LeasedCallback, SandboxCallback, ScheduledReport } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import { Stopping } from '../storage/storage-unavailable.ts'
import { type ClockState, latestTime, pause, type SharedClock, type TenantClock, type Timer } from '../time/clock.ts'
import { createSerialQueue } from '../time/locks.ts'

export interface WorkerOptions {
  readonly clock: TenantClock
  readonly realClock: Clock
  readonly timer: Timer
  readonly storage: Storage<SandboxTables>
  /** Stores the clock. If processes share the tenant, it checks the clock lease. */
  readonly clockStorage: Storage<SandboxTables>
  readonly callbacks: CallbackContext
  readonly slots: CallbackSlots
  /** Reports an event through the service's own endpoint. */
  readonly report: (report: ScheduledReport) => Promise<void>
  /** Present if processes share the tenant. */
  readonly shared?: { readonly refresh: () => Promise<void>; readonly clock: SharedClock } | undefined
  /** Called after an attempt of a non-synthetic callback was recorded, with the callback as it was before. */
  readonly onAttempt: (outcome: AttemptOutcome, callback: SandboxCallback) => void
  /** Called after jobs were recorded. */
  readonly onProgress: () => void
  readonly onError: (error: unknown) => void
}

/**
 * A tenant's worker: runs callbacks and reports when they fall due on the tenant's clock, and changes that clock. Costs
 * nothing while no job is pending or the clock is frozen.
 */
export interface Worker {
  /** Starts a round, which records finished jobs and starts due ones. */
  wake(): void
  /**
   * Waits for all jobs that are due now, including running ones. Resolves to the error if one failed; the job will be
   * retried.
   */
  settle(): Promise<unknown>
  /** Runs a function while no job runs and the clock does not change. */
  pause<Result>(run: () => Promise<Result>): Promise<Result>
  /** Starts no more jobs, and ends all calls to `settle`. Resolves when the running jobs are done. */
  stop(): Promise<void>
  freeze(): Promise<void>
  resume(): Promise<void>
  /**
   * Jumps forward, then runs all jobs that have become due at the new time. Resolves to false if the time is in the past
   * or too far ahead.
   */
  set(at: number): Promise<boolean>
  /**
   * Advances to each due time in turn and runs its jobs. Resolves to the number of reports sent and callbacks attempted;
   * undefined if too far ahead. If a job fails, rejects and leaves the clock at that job's time.
   */
  advance(ms: number): Promise<number | undefined>
  /** Adopts a clock state stored by another process, unless this process is changing the clock. */
  adoptClock(state: ClockState): void
}

/** The delivery of a callback, or a batch of reports sent in sequence. */
interface Job {
  readonly kind: 'callback' | 'reports'
  /** The due time; for several reports, that of the first. */
  readonly due: number
  /** Set once the job has finished. */
  result?: JobResult
  error?: { readonly cause: unknown }
}

/** A callback's result, or the number of reports sent. */
type JobResult = CallbackResult | { readonly type: 'reported'; readonly count: number }

/** The due reports and the leased callbacks. */
interface DueJobs {
  readonly callbacks: readonly LeasedCallback[]
  readonly reports: readonly ScheduledReport[]
  /** The due time of the next job that has not started. */
  readonly nextDue: number | undefined
  /** The lower bound of the due times of callbacks that wait for a slot; undefined if none waits. */
  readonly backlog: number | undefined
}

/** The maximum number of reports in a batch. */
const maxReportsInARow = 16

/** The delay of the next round after an error, or while another process has the due jobs, in milliseconds of real time. */
const retryMs = 1_000

/** The maximum delay of a JavaScript timer, in milliseconds. A longer one would fire at once. */
const maxTimerMs = 2 ** 31 - 1

/** The maximum number of steps in an advance, which bounds endless retries. */
const maxSteps = 1_000_000

/** The interval at which an advance polls for the end of another process's lease, in milliseconds of real time. */
const leasePollMs = 50

/** Creates a worker, idle until woken. */
export function createWorker(options: WorkerOptions): Worker {
  const { clock, realClock, timer, storage, clockStorage, callbacks, report, shared } = options
  const { onAttempt, onProgress, onError } = options
  const slots = options.slots.of(wake)
  /** Running jobs, and finished jobs that are not recorded yet. */
  const jobs = new Set<Job>()
  const settling = new Set<{ readonly due: number; failure?: unknown; readonly resolve: (failure: unknown) => void }>()
  /** Pending from a wake until no job runs. */
  let loop: Promise<void> | undefined
  let woken = Promise.withResolvers<void>()
  let isWoken = false
  let isStopped = false
  let isPaused = false
  let cancelTimer: (() => void) | undefined
  /** The number of finished jobs, and the next due time as of the last round. */
  let done = 0
  let nextDue: number | undefined
  /** The lower bound of the due times of callbacks that wait for a slot; undefined if none waits. */
  let backlog: number | undefined
  /** How far the machine's clock was set back, not yet applied to pending jobs, in milliseconds. */
  let setBack = 0
  let hasLimitedRetries = false

  function wake(): void {
    isWoken = true
    woken.resolve()
    if (mayStart()) loop ??= runLoop()
  }

  function mayStart(): boolean {
    return !isStopped && !isPaused
  }

  async function runLoop(): Promise<void> {
    for (;;) {
      isWoken = false
      woken = Promise.withResolvers()
      cancelTimer?.()
      const waiting = [...settling]
      const failure = await runRound()
      const unfinished = earliest([backlog, ...[...jobs].map(({ due }) => due)]) ?? Number.POSITIVE_INFINITY
      for (const each of waiting) {
        each.failure ??= failure
        if (unfinished <= each.due) continue
        settling.delete(each)
        each.resolve(each.failure)
      }
      if (isWoken) continue
      const waitMs = failure === undefined ? untilNextDue() : retryMs
      if (waitMs !== undefined && mayStart()) cancelTimer = timer.after(waitMs, wake)
      if (unfinished === Number.POSITIVE_INFINITY) break
      await woken.promise
    }
    loop = undefined
    endSettling()
  }

  /** Records finished jobs and starts due ones. Resolves to the first error, if any. */
  async function runRound(): Promise<unknown> {
    const failed = [...jobs].flatMap(job => (job.error ? [{ job, cause: job.error.cause }] : []))
    for (const { job, cause } of failed) {
      jobs.delete(job)
      onError(cause)
    }
    const canStart = mayStart()
    // If no job may start, none waits for a slot, even if this round fails.
    if (!canStart) backlog = undefined
    const began = clock.now()
    try {
      await shared?.refresh()
      const host = hostOf(callbacks)
      const { ended, count, due } = await recordAndTake(host, canStart, failed.length === 0)
      done += count
      if (due) startDue(due, host)
      for (const { result } of ended) {
        if (result?.type === 'attempted' && result.isRecorded && !result.callback.synthetic)
          onAttempt(result.outcome, result.callback)
      }
      if (ended.length > 0) onProgress()
      // A job that was due before the round and is still due belongs to another process.
      if (due && nextDue !== undefined && nextDue <= clock.now() && (count > 0 || nextDue > began)) isWoken = true
      return failed[0]?.cause
    } catch (error) {
      onError(error)
      return failed[0]?.cause ?? error
    }
  }

  /**
   * Records finished jobs and takes due ones, in one transaction. Takes only as many callbacks as there are slots, which
   * bounds memory.
   */
  async function recordAndTake(host: string, canStart: boolean, canTake: boolean) {
    let ended: readonly Job[] = []
    let count = 0
    let unused = 0
    try {
      const due = await storage.transact(async tables => {
        await limitWaits(tables)
        // Listed inside the transaction, to include jobs that finished while the storage was busy.
        ended = [...jobs].filter(({ result }) => result)
        count = 0
        for (const { result } of ended) if (result) count += await recordJob(result, tables, clock.now())
        if (!canStart || !canTake) return undefined
        // Take slots only once, because a storage may retry a transaction from its beginning.
        if (unused === 0) unused = slots.take(host)
        return takeDue(callbacks, tables, unused, jobs)
      })
      setBack = 0
      hasLimitedRetries = true
      unused -= due?.callbacks.length ?? 0
      return { ended, count, due }
    } catch (error) {
      // Normally a later round records them, but there is none while no job may start.
      if (!canStart) ended = [...jobs].filter(({ result }) => result)
      throw error
    } finally {
      // If they could not be recorded, their leases expire and they are retried.
      for (const job of ended) jobs.delete(job)
      slots.giveBack(host, unused)
    }
  }

  /** Corrects due times if the machine's clock was set back, so that jobs don't wait longer. */
  async function limitWaits(tables: SandboxTables): Promise<void> {
    setBack += clock.takeSetBack()
    if (setBack > 0) await tables.bringForward(setBack, clock.now())
    // The clock may also have been set back while the process was not running.
    if (!hasLimitedRetries) await tables.limitRetries(clock.now())
  }

  function startDue(due: DueJobs, host: string): void {
    for (const callback of due.callbacks)
      start('callback', callback.due_at ?? 0, () => runCallback(callbacks, callback, slots, host))
    const [first] = due.reports
    if (first) start('reports', first.due_at, () => runReports(due.reports))
    nextDue = due.nextDue
    backlog = due.backlog
    if (backlog !== undefined) slots.wait(host)
  }

  async function runReports(reports: readonly ScheduledReport[]): Promise<JobResult> {
    await makeReports(reports, storage, report)
    return { type: 'reported', count: reports.length }
  }

  function start(kind: Job['kind'], due: number, run: () => Promise<JobResult>): void {
    const job: Job = { kind, due }
    jobs.add(job)
    void run()
      .then(
        result => Object.assign(job, { result }),
        (cause: unknown) => Object.assign(job, { error: { cause } }),
      )
      .then(wake)
  }

  /** Returns how long to wait for the next job, in milliseconds of real time; undefined for forever. */
  function untilNextDue(): number | undefined {
    if (nextDue === undefined) return undefined
    const ms = nextDue - clock.now()
    if (ms <= 0) return retryMs
    // Changing a frozen clock wakes the worker.
    return clock.state().mode === 'running' ? Math.min(ms, maxTimerMs) : undefined
  }

  function settle(): Promise<unknown> {
    const settled = new Promise<unknown>(resolve => void settling.add({ due: clock.now(), resolve }))
    wake()
    if (!loop || isStopped) endSettling()
    return settled
  }

  function endSettling(): void {
    const stopping = isStopped ? new Stopping() : undefined
    for (const { failure, resolve } of settling) resolve(failure ?? stopping)
    settling.clear()
  }

  async function finishJobs(): Promise<void> {
    cancelTimer?.()
    woken.resolve()
    await loop
  }

  async function pauseJobs<Result>(run: () => Promise<Result>): Promise<Result> {
    isPaused = true
    try {
      await finishJobs()
      return await run()
    } finally {
      isPaused = false
      wake()
    }
  }

  const serialize = createSerialQueue()
  let isChanging = false
  /** The stored clock state during a change. */
  let stored = clock.state()

  /** Runs a clock change exclusively, across processes too. If it fails, the clock returns to the stored state. */
  function changeClock<Result>(change: () => Promise<Result>): Promise<Result> {
    async function changeAlone(): Promise<Result> {
      isChanging = true
      stored = clock.state()
      try {
        return await change()
      } catch (error) {
        clock.restore(stored)
        wake()
        throw error
      } finally {
        isChanging = false
      }
    }
    return serialize(() => (shared ? shared.clock.exclusive(changeAlone) : changeAlone()))
  }

  async function storeClock(state: ClockState): Promise<void> {
    await clockStorage.transact(tables => tables.writeDocument('clock', state))
    stored = state
  }

  async function setClock(state: ClockState): Promise<void> {
    await storeClock(state)
    clock.restore(state)
    wake()
  }

  /** Returns the clock state that shows the given time now, running or frozen. */
  function showing(now: number, mode: ClockState['mode']): ClockState {
    return mode === 'frozen' ? { mode, now } : { mode, ahead_ms: now - realClock.now() }
  }

  async function step(to: number, mode: ClockState['mode']): Promise<void> {
    await storeClock(showing(to, mode))
    clock.restore({ mode: 'frozen', now: to })
    await settleOrThrow()
  }

  async function settleOrThrow(): Promise<void> {
    const failure = await settle()
    if (failure !== undefined) throw failure
  }

  return {
    wake,
    settle,
    pause: run => serialize(() => pauseJobs(run)),
    stop() {
      isStopped = true
      endSettling()
      return finishJobs()
    },
    freeze: () =>
      changeClock(() => {
        // Freezes before storing, so that calls in the meantime are not ahead of the frozen time.
        clock.restore(showing(clock.now(), 'frozen'))
        return setClock(clock.state())
      }),
    resume: () => changeClock(() => setClock(showing(clock.now(), 'running'))),
    set: at =>
      changeClock(async () => {
        // Negated, so that NaN, an invalid time, is refused too.
        if (!(at >= clock.now() && at <= latestTime)) return false
        await setClock(showing(at, clock.state().mode))
        await settle()
        return true
      }),
    advance: ms =>
      changeClock(async () => {
        const { mode } = clock.state()
        const end = clock.now() + ms
        if (end > latestTime) return undefined
        const doneBefore = done
        // If other processes run some of the jobs, the storage counts them all.
        const countJobs = shared ? await shared.clock.countJobs() : () => done - doneBefore
        clock.restore({ mode: 'frozen', now: clock.now() })
        try {
          await settleOrThrow()
          for (let steps = 0; steps < maxSteps; steps++) {
            // A round during the wait may find another next due time.
            const due = nextDue
            if (due === undefined || due > end) break
            // Another process has the job or finished it, or its lease must expire.
            if (due <= clock.now()) await pause(timer, leasePollMs)
            await step(Math.max(due, clock.now()), mode)
          }
          await step(end, mode)
        } finally {
          await setClock(showing(clock.now(), mode))
        }
        return countJobs()
      }),
    adoptClock(state) {
      if (isChanging) stored = state
      else if (JSON.stringify(state) !== JSON.stringify(clock.state())) {
        clock.restore(state)
        wake()
      }
    },
  }
}

/** Takes the due reports, and leases as many due callbacks as there are slots. */
async function takeDue(
  context: CallbackContext,
  tables: SandboxTables,
  slots: number,
  jobs: ReadonlySet<Job>,
): Promise<DueJobs> {
  const now = context.clock.now()
  const running = [...jobs].filter(({ result }) => !result)
  const isReporting = running.some(({ kind }) => kind === 'reports')
  const reports = isReporting ? [] : await tables.listDueReports(now, maxReportsInARow)
  const callbacks = slots > 0 ? await leaseCallbacks(context, tables, now, slots) : []
  // Running jobs are still due. Other processes' jobs count only while nothing runs here.
  const isIdle = running.length + callbacks.length + reports.length === 0
  const after = isIdle ? undefined : now
  const nextDue = earliest([await nextCallbackDue(context, tables, after), await tables.nextReportDue(after)])
  const takesAll = callbacks.length < slots || isHeld(context)
  const isFull = !takesAll && !(isIdle && (nextDue ?? Number.POSITIVE_INFINITY) > now)
  return { callbacks, reports, nextDue, backlog: isFull ? (callbacks.at(-1)?.due_at ?? 0) : undefined }
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter(time => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** Delivers a leased callback, then frees its slot. */
async function runCallback(
  context: CallbackContext,
  callback: LeasedCallback,
  slots: TenantSlots,
  host: string,
): Promise<CallbackResult> {
  try {
    const result = await deliver(context, callback)
    slots.end(host, result.type === 'postponed' || result.hasResponse)
    return result
  } catch (error) {
    // The sandbox itself failed, for example its storage, which says nothing about the receiver.
    slots.giveBack(host, 1)
    throw error
  }
}

/**
 * Records a job's result. Returns the number of reports sent or callbacks attempted; a postponed callback does not count.
 */
async function recordJob(result: JobResult, tables: SandboxTables, now: number): Promise<number> {
  if (result.type === 'reported') return result.count
  await recordCallback(result, tables, now)
  return result.type === 'attempted' && result.isRecorded ? 1 : 0
}
