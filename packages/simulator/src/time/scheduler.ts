import type { TenantClock, Timer } from './clock.ts'

/** What one run of due jobs did. */
export interface DueRun {
  /** How many jobs that was. */
  readonly done: number
  /** When the next job is due on the tenant's clock, where that is known after the run; undefined where none waits. */
  readonly nextDue: number | undefined
}

/** The jobs of a tenant, and what their scheduler works on. */
export interface SchedulerOptions {
  /** Runs jobs that are due now. */
  readonly runDue: () => Promise<DueRun>
  readonly clock: TenantClock
  readonly timer: Timer
  readonly onError: (error: unknown) => void
}

/** Runs a tenant's jobs when they fall due on its clock; costs nothing while nothing waits or the clock is frozen. */
export interface Scheduler {
  /** Looks for due jobs soon. */
  wake(): void
  /** Resolves when all that is due now is done, what is under way too. */
  settle(): Promise<void>
  /** How many jobs were done so far, and when the next one is due, as of the last run. */
  state(): DueRun
  /** Runs something while no job is under way and none is started. */
  pause<Result>(run: () => Promise<Result>): Promise<Result>
  /** Starts nothing more; resolves when what is under way is done. */
  stop(): Promise<void>
}

/** After an error, or while another process has what is due: when to look again, milliseconds of real time. */
const retryMs = 1_000

/** The longest that a timer of JavaScript waits, milliseconds: with more it would go off at once. */
const longestWaitMs = 2 ** 31 - 1

/** Creates a scheduler that is idle until it is woken. */
export function createScheduler({ runDue, clock, timer, onError }: SchedulerOptions): Scheduler {
  let running: Promise<void> | undefined
  let again = false
  let stopped = false
  let paused = false
  let total: DueRun = { done: 0, nextDue: undefined }
  let cancelTimer: (() => void) | undefined

  async function run(): Promise<void> {
    do {
      again = false
      const looked = clock.now()
      const ran = await runDue()
      total = { done: total.done + ran.done, nextDue: ran.nextDue }
      if (stopped || paused) return
      again ||= isFreeAndDue(ran, looked, clock.now())
    } while (again)
    const waitMs = waitUntil(total.nextDue, clock)
    if (waitMs !== undefined) cancelTimer = timer.after(waitMs, wake)
  }

  function wake(): void {
    if (stopped || paused) return
    again = true
    cancelTimer?.()
    running ??= run()
      .catch((error: unknown) => {
        onError(error)
        cancelTimer = timer.after(retryMs, wake)
      })
      .finally(() => {
        running = undefined
        if (again) wake()
      })
  }

  return {
    wake,
    async settle() {
      wake()
      while (running) await running
    },
    state: () => total,
    async pause(run) {
      paused = true
      cancelTimer?.()
      try {
        await running
        return await run()
      } finally {
        paused = false
        wake()
      }
    },
    async stop() {
      stopped = true
      cancelTimer?.()
      await running
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
