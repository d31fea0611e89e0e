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
  /** Stores the clock. If processes share the tenant, it checks their lease of the clock. */
  readonly clockStorage: Storage<SandboxTables>
  readonly callbacks: CallbackContext
  readonly slots: CallbackSlots
  /** Reports an event through the service's own endpoint. */
  readonly report: (report: ScheduledReport) => Promise<void>
  /** Set if processes share the tenant. */
  readonly shared?: { readonly refresh: () => Promise<void>; readonly clock: SharedClock } | undefined
  /** Called after an attempt of a callback that is not synthetic was recorded; `callback` is as it was before. */
  readonly onAttempt: (outcome: AttemptOutcome, callback: SandboxCallback) => void
  /** Called when jobs were recorded. */
  readonly onProgress: () => void
  readonly onError: (error: unknown) => void
}

/**
 * A tenant's worker: runs its callbacks and reports when they fall due on its clock, and changes that clock. Costs nothing
 * while no job waits or the clock is frozen.
 */
export interface Worker {
  /** Starts a round soon, which records the jobs that have ended and starts those that are due. */
  wake(): void
  /**
   * Resolves when all jobs that are due now are done, the running ones too; if one failed, to the error. That job is tried
   * again later.
   */
  settle(): Promise<unknown>
  /** Runs something while no job is running or starts, and the clock does not change. */
  pause<Result>(run: () => Promise<Result>): Promise<Result>
  /** Starts no more jobs, and ends all waiting for them; resolves when the running ones are done. */
  stop(): Promise<void>
  freeze(): Promise<void>
  resume(): Promise<void>
  /** Jumps forward, and runs the jobs that fell due meanwhile at the new time. False if the time is past or too far ahead. */
  set(at: number): Promise<boolean>
  /**
   * Advances to each due time in turn, doing its jobs. Resolves to the number of reports made and callbacks attempted;
   * undefined if too far ahead. If a job fails, it rejects, and the clock stays at the time of that job.
   */
  advance(ms: number): Promise<number | undefined>
  /** Sets the clock as another process has stored it, unless this one is changing it. */
  adoptClock(state: ClockState): void
}

/** A callback that is delivered, or some reports that are made one after the other. */
interface Job {
  readonly kind: 'callback' | 'reports'
  /** The time when it was due; for several reports, the first. */
  readonly due: number
  /** Once it has ended. */
  result?: JobResult
  error?: { readonly cause: unknown }
}

/** The result of a callback, or how many reports were made. */
type JobResult = CallbackResult | { readonly type: 'reported'; readonly count: number }

/** The reports and callbacks that are due, the callbacks leased. */
interface DueJobs {
  readonly callbacks: readonly LeasedCallback[]
  readonly reports: readonly ScheduledReport[]
  /** The time when the next job that has not started is due. */
  readonly nextDue: number | undefined
  /** A time before which no callback was due that waits for a slot; undefined if none waits. */
  readonly backlog: number | undefined
}

/** The number of reports that are made before the due ones are read again. */
const maxReportsInARow = 16

/** The time to the next round after an error, or while another process has what is due, milliseconds of real time. */
const retryMs = 1_000

/** The longest that a timer of JavaScript waits, milliseconds: with more it would go off at once. */
const maxTimerMs = 2 ** 31 - 1

/** The most steps of one advance, which bounds retries that start again for ever. */
const maxSteps = 1_000_000

/** The interval at which an advance polls for the end of another process's lease, milliseconds of real time. */
const leasePollMs = 50

/** Creates a worker that is idle until it is woken. */
export function createWorker(options: WorkerOptions): Worker {
  const { clock, realClock, timer, storage, clockStorage, callbacks, report, shared } = options
  const { onAttempt, onProgress, onError } = options
  const slots = options.slots.of(wake)
  /** The jobs that are running, and those that have ended and are not recorded yet. */
  const jobs = new Set<Job>()
  const settling = new Set<{ readonly due: number; failure?: unknown; readonly resolve: (failure: unknown) => void }>()
  /** Pending from a wake until no job is running. */
  let loop: Promise<void> | undefined
  let woken = Promise.withResolvers<void>()
  let isWoken = false
  let isStopped = false
  let isPaused = false
  let cancelTimer: (() => void) | undefined
  /** The number of jobs done so far, and the next due time as of the last round. */
  let done = 0
  let nextDue: number | undefined
  /** A time before which no callback was due that waits for a slot; undefined if none waits. */
  let backlog: number | undefined
  /** By how much the machine's clock was set back, and not yet applied to what waits, milliseconds. */
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

  /** Records the jobs that have ended, and starts those that are due. Resolves to the first error, if there is one. */
  async function runRound(): Promise<unknown> {
    const failed = [...jobs].flatMap(job => (job.error ? [{ job, cause: job.error.cause }] : []))
    for (const { job, cause } of failed) {
      jobs.delete(job)
      onError(cause)
    }
    const canStart = mayStart()
    // If none may start, none waits for a slot, even if this round fails.
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
      // A job that was due before the round and was not done belongs to another process.
      if (due && nextDue !== undefined && nextDue <= clock.now() && (count > 0 || nextDue > began)) isWoken = true
      return failed[0]?.cause
    } catch (error) {
      onError(error)
      return failed[0]?.cause ?? error
    }
  }

  /**
   * Records the jobs that have ended and takes those that are due, in one transaction. Takes as many callbacks as there are
   * slots, so that no more are in memory.
   */
  async function recordAndTake(host: string, canStart: boolean, canTake: boolean) {
    let ended: readonly Job[] = []
    let count = 0
    let unused = 0
    try {
      const due = await storage.transact(async tables => {
        await limitWaits(tables)
        // Listed now, so that jobs that ended while the storage was busy are recorded too.
        ended = [...jobs].filter(({ result }) => result)
        count = 0
        for (const { result } of ended) if (result) count += await recordJob(result, tables, clock.now())
        if (!canStart || !canTake) return undefined
        // A storage may run a transaction again from its beginning: the slots are taken only once.
        if (unused === 0) unused = slots.take(host)
        return takeDue(callbacks, tables, unused, jobs)
      })
      setBack = 0
      hasLimitedRetries = true
      unused -= due?.callbacks.length ?? 0
      return { ended, count, due }
    } catch (error) {
      // A later round would record them, but there is none while nothing may start.
      if (!canStart) ended = [...jobs].filter(({ result }) => result)
      throw error
    } finally {
      // If they could not be recorded, their leases expire and they are tried again.
      for (const job of ended) jobs.delete(job)
      slots.giveBack(host, unused)
    }
  }

  /** Keeps jobs from waiting longer because the machine's clock was set back. */
  async function limitWaits(tables: SandboxTables): Promise<void> {
    setBack += clock.takeSetBack()
    if (setBack > 0) await tables.bringForward(setBack, clock.now())
    // The clock may have been set back while nothing ran: no wait becomes longer by that.
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

  /** Returns how long to wait for the next job, milliseconds of real time; undefined for ever. */
  function untilNextDue(): number | undefined {
    if (nextDue === undefined) return undefined
    const ms = nextDue - clock.now()
    if (ms <= 0) return retryMs
    // A change of a frozen clock wakes the worker itself.
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
  /** The state of the clock that is stored, while it is being changed. */
  let stored = clock.state()

  /** Runs a change of the clock alone, also among processes. If it fails, the clock goes back to what is stored. */
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

  /** Returns the state in which the clock shows a time now, running or frozen. */
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
        // Frozen before it is stored: calls that come in meanwhile would be ahead of the frozen time.
        clock.restore(showing(clock.now(), 'frozen'))
        return setClock(clock.state())
      }),
    resume: () => changeClock(() => setClock(showing(clock.now(), 'running'))),
    set: at =>
      changeClock(async () => {
        // Compared this way round, a text that is no time (NaN) is refused too.
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
        // If other processes do some of the jobs, the storage counts them all.
        const countJobs = shared ? await shared.clock.countJobs() : () => done - doneBefore
        clock.restore({ mode: 'frozen', now: clock.now() })
        try {
          await settleOrThrow()
          for (let steps = 0; steps < maxSteps; steps++) {
            // A round during the wait may find something else due next.
            const due = nextDue
            if (due === undefined || due > end) break
            // Another process is doing it or did it, or its lease must expire.
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
  // Running jobs are still due. Jobs of other processes count once nothing is running here.
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

/** Delivers a leased callback in its slot. */
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
    // The sandbox failed, such as its storage: that says nothing about the receiver.
    slots.giveBack(host, 1)
    throw error
  }
}

/** Records what a job did. Returns how many reports were made or callbacks attempted: one that is postponed is not attempted. */
async function recordJob(result: JobResult, tables: SandboxTables, now: number): Promise<number> {
  if (result.type === 'reported') return result.count
  await recordCallback(result, tables, now)
  return result.type === 'attempted' && result.isRecorded ? 1 : 0
}
