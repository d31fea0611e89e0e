import type { TenantClock, Timer } from './clock.ts'

/** What one run of due jobs did. */
export interface DueRun {
  /** How many jobs ended. */
  readonly done: number
  /** When the next job is due on the tenant's clock, where that is known after the run; undefined where none waits. */
  readonly nextDue: number | undefined
}

/** The jobs of a tenant. Each goes on by itself: a run starts what is due and does not wait for it. */
export interface DueJobs {
  /** Records the jobs that have ended, and starts those that are due now, unless none may start. */
  run(mayStart: boolean): Promise<DueRun>
  /**
   * When the earliest job was due that is under way, or that waits for others to end; undefined where there is none. The
   * scheduler is woken when a job ends.
   */
  unfinished(): number | undefined
}

/** What a scheduler works on. */
export interface SchedulerOptions {
  readonly jobs: DueJobs
  readonly clock: TenantClock
  readonly timer: Timer
  readonly onError: (error: unknown) => void
}

/** Runs a tenant's jobs when they fall due on its clock; costs nothing while nothing waits or the clock is frozen. */
export interface Scheduler {
  /** Looks for due jobs soon, and for those that have ended. */
  wake(): void
  /** Resolves when all that is due now is done, what is under way too. */
  settle(): Promise<void>
  /** How many jobs were done so far, and when the next one is due, as of the last run. */
  state(): DueRun
  /** Runs something while no job is under way and none is started. */
  pause<Result>(run: () => Promise<Result>): Promise<Result>
  /** Starts nothing more, and ends all waiting for that; resolves when what is under way is done. */
  stop(): Promise<void>
}

/** After an error, or while another process has what is due: when to look again, milliseconds of real time. */
const retryMs = 1_000

/** The longest that a timer of JavaScript waits, milliseconds: with more it would go off at once. */
const longestWaitMs = 2 ** 31 - 1

/** Creates a scheduler that is idle until it is woken. */
export function createScheduler({ jobs, clock, timer, onError }: SchedulerOptions): Scheduler {
  /** Pending from a wake until no job is under way. */
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
      const ran = await runOrReport(jobs, mayStart(), onError)
      if (ran) total = { done: total.done + ran.done, nextDue: ran.nextDue }
      again ||= ran !== undefined && isFreeAndDue(ran, looked, clock.now())
      resolveSettled()
      if (again) continue
      const waitMs = ran ? waitUntil(ran.nextDue, clock) : retryMs
      if (waitMs !== undefined && mayStart()) cancelTimer = timer.after(waitMs, wake)
      if (jobs.unfinished() === undefined) break
      await woken.promise
    }
    running = undefined
    settling.resolveAll()
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
      if (!running || stopped) settling.resolveAll()
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
      settling.resolveAll()
      return finish()
    },
  }
}

/** Runs jobs once; resolves to undefined after an error. */
async function runOrReport(
  jobs: DueJobs,
  mayStart: boolean,
  onError: (error: unknown) => void,
): Promise<DueRun | undefined> {
  try {
    return await jobs.run(mayStart)
  } catch (error) {
    onError(error)
    return undefined
  }
}

/** Who waits until all is done that was due by a time. */
function createSettling(jobs: DueJobs) {
  const waiting = new Set<{ due: number; resolve: () => void }>()
  return {
    wait: (due: number) => new Promise<void>(resolve => void waiting.add({ due, resolve })),
    /** Before a run: what is returned, called after it, resolves whoever waited before it and has what was waited for. */
    begin() {
      const before = [...waiting]
      return () => {
        const unfinished = jobs.unfinished() ?? Number.POSITIVE_INFINITY
        for (const each of before) {
          if (unfinished <= each.due) continue
          waiting.delete(each)
          each.resolve()
        }
      }
    },
    resolveAll() {
      for (const { resolve } of waiting) resolve()
      waiting.clear()
    },
  }
}

/** Whether another job is due; not one that was due at the look already and was not done: another process has it. */
function isFreeAndDue({ done, nextDue }: DueRun, looked: number, now: number): boolean {
  return nextDue !== undefined && nextDue <= now && (done > 0 || nextDue > looked)
}

/** How long to wait for the next job, milliseconds of real time; undefined forever. */
function waitUntil(nextDue: number | undefined, clock: TenantClock): number | undefined {
  if (nextDue === undefined) return undefined
  const ms = nextDue - clock.now()
  if (ms <= 0) return retryMs
  // A change of a frozen clock wakes the scheduler itself.
  return clock.state().mode === 'running' ? Math.min(ms, longestWaitMs) : undefined
}
