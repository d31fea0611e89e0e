import type { TenantClock, Timer } from './clock.ts'

/** The result of one run of due jobs. */
export interface DueRun {
  /** The number of callbacks that were tried and of reports that were made. A callback that was postponed was not tried. */
  readonly done: number
  /** The time when the next job is due on the tenant's clock, as of the run; undefined if none waits. */
  readonly nextDue: number | undefined
}

/** The jobs of a tenant. A run starts the jobs that are due and does not wait for them. */
export interface DueJobs {
  /** Records the jobs that have ended, and starts those that are due now, unless none may start. */
  run(mayStart: boolean): Promise<DueRun>
  /** Returns when the earliest running or waiting job was due; undefined if there is none. */
  unfinished(): number | undefined
}

export interface SchedulerOptions {
  /** Creates the jobs. They call `wake` when one has ended. */
  readonly jobs: (wake: () => void) => DueJobs
  readonly clock: TenantClock
  readonly timer: Timer
  /** The error for those that wait when it stops. */
  readonly stopping: Error
  readonly onError: (error: unknown) => void
}

/** Runs a tenant's jobs when they fall due on its clock. Costs nothing while no job waits or the clock is frozen. */
export interface Scheduler {
  /** Looks for due jobs soon, and for those that have ended. */
  wake(): void
  /**
   * Resolves when all jobs that are due now are done, the running ones too; if one could not be done, to the error. That job
   * is tried again later.
   */
  settle(): Promise<unknown>
  /** Returns how many jobs were done so far, and when the next one is due, as of the last run. */
  state(): DueRun
  /** Runs something while no job is running and none is started. */
  pause<Result>(run: () => Promise<Result>): Promise<Result>
  /** Starts no more jobs, and ends all waiting for them; resolves when the running ones are done. */
  stop(): Promise<void>
}

/** After an error, or while another process has what is due: when to look again, milliseconds of real time. */
const retryMs = 1_000

/** The longest that a timer of JavaScript waits, milliseconds: with more it would go off at once. */
const longestWaitMs = 2 ** 31 - 1

/** Creates a scheduler that is idle until it is woken. */
export function createScheduler({ jobs: createJobs, clock, timer, stopping, onError }: SchedulerOptions): Scheduler {
  const jobs = createJobs(wake)
  /** Pending from a wake until no job is running. */
  let running: Promise<void> | undefined
  let woken = Promise.withResolvers<void>()
  let again = false
  let stopped = false
  let paused = false
  let total: DueRun = { done: 0, nextDue: undefined }
  let cancelTimer: (() => void) | undefined
  const settling = createSettling(jobs)
  const mayStart = () => !stopped && !paused

  async function run(): Promise<void> {
    for (;;) {
      again = false
      woken = Promise.withResolvers()
      cancelTimer?.()
      const resolveSettled = settling.begin()
      const looked = clock.now()
      let failure: unknown
      const ran = await jobs.run(mayStart()).catch((error: unknown) => {
        failure = error
        onError(error)
      })
      if (ran) total = { done: total.done + ran.done, nextDue: ran.nextDue }
      if (ran) again ||= isFreeAndDue(ran, looked, clock.now())
      resolveSettled(failure)
      if (again) continue
      const waitMs = ran ? waitUntil(ran.nextDue, clock) : retryMs
      if (waitMs !== undefined && mayStart()) cancelTimer = timer.after(waitMs, wake)
      if (jobs.unfinished() === undefined) break
      await woken.promise
    }
    running = undefined
    endSettling()
  }

  function endSettling(): void {
    settling.resolveAll(stopped ? stopping : undefined)
  }

  function wake(): void {
    again = true
    woken.resolve()
    if (mayStart()) running ??= run()
  }

  async function finish(): Promise<void> {
    cancelTimer?.()
    woken.resolve()
    await running
  }

  return {
    wake,
    settle() {
      const settled = settling.wait(clock.now())
      wake()
      if (!running || stopped) endSettling()
      return settled
    },
    state: () => total,
    async pause(run) {
      paused = true
      try {
        await finish()
        return await run()
      } finally {
        paused = false
        wake()
      }
    },
    stop() {
      stopped = true
      endSettling()
      return finish()
    },
  }
}

/** Keeps the callers that wait until all jobs are done that were due by a time. */
function createSettling(jobs: DueJobs) {
  const waiting = new Set<{ due: number; failure?: unknown; resolve: (failure: unknown) => void }>()
  return {
    wait: (due: number) => new Promise<unknown>(resolve => void waiting.add({ due, resolve })),
    /** Call it before a run, and the returned function after it: that resolves the callers whose jobs are done. */
    begin() {
      const before = [...waiting]
      return (failure: unknown) => {
        const unfinished = jobs.unfinished() ?? Number.POSITIVE_INFINITY
        for (const each of before) {
          each.failure ??= failure
          if (unfinished <= each.due) continue
          waiting.delete(each)
          each.resolve(each.failure)
        }
      }
    },
    resolveAll(failure: unknown) {
      for (const each of waiting) each.resolve(each.failure ?? failure)
      waiting.clear()
    },
  }
}

/** Returns true if another job is due. A job that was due before the run and was not done belongs to another process. */
function isFreeAndDue({ done, nextDue }: DueRun, looked: number, now: number): boolean {
  return nextDue !== undefined && nextDue <= now && (done > 0 || nextDue > looked)
}

/** Returns how long to wait for the next job, milliseconds of real time; undefined for ever. */
function waitUntil(nextDue: number | undefined, clock: TenantClock): number | undefined {
  if (nextDue === undefined) return undefined
  const ms = nextDue - clock.now()
  if (ms <= 0) return retryMs
  // A change of a frozen clock wakes the scheduler itself.
  return clock.state().mode === 'running' ? Math.min(ms, longestWaitMs) : undefined
}
