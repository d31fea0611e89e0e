import type { TenantClock } from '../clock/tenant-clock.ts'
import type { Timer } from '../ports/timer.ts'

/** What falls due for a tenant, and how it is done. */
export interface DueWorkOptions {
  /** Does what is due now; answers how much that was. */
  readonly runDue: () => Promise<number>
  /** When something is due next on the tenant's clock; undefined where nothing waits. */
  readonly nextDue: () => Promise<number | undefined>
  readonly clock: TenantClock
  readonly timer: Timer
  /** Called when something was done. */
  readonly onDone: () => void
  readonly onError: (fault: unknown) => void
}

/** Does a tenant's work when it falls due on its clock; costs nothing while nothing waits or the clock stands still. */
export interface DueWork {
  /** Looks for due work soon. */
  wake(): void
  /** Resolves when all that is due now is done, what is under way too. */
  settle(): Promise<void>
  /** How much was done so far. */
  done(): number
  nextDue(): Promise<number | undefined>
  /** Runs something while no work is under way and none is started. */
  pause<Outcome>(run: () => Promise<Outcome>): Promise<Outcome>
  /** Starts nothing more; resolves when what is under way is done. */
  stop(): Promise<void>
}

/** After a fault, or while something due is in another's hands: when to look again, milliseconds of real time. */
const retryMs = 1_000

/** The longest that a timer of JavaScript waits, milliseconds: with more it would go off at once. */
const longestWaitMs = 2 ** 31 - 1

/** Starts idle: wake it. */
export function createDueWork({ runDue, nextDue, clock, timer, onDone, onError }: DueWorkOptions): DueWork {
  let running: Promise<void> | undefined
  let again = false
  let stopped = false
  let paused = false
  let done = 0
  let cancelTimer: (() => void) | undefined

  async function run(): Promise<void> {
    let looked = clock.now()
    do {
      again = false
      for (let count = 1; count > 0 && !stopped && !paused; ) {
        looked = clock.now()
        count = await runDue()
        done += count
        if (count > 0) onDone()
      }
    } while (again && !stopped && !paused)
    if (stopped || paused) return
    const due = await nextDue()
    if (due === undefined || stopped) return
    // It was due when it was looked for, and is not done: another has it.
    if (due <= looked) cancelTimer = timer.after(retryMs, wake)
    // A clock that stands still wakes the work itself when it is moved.
    else if (clock.state().mode === 'running')
      cancelTimer = timer.after(Math.min(Math.max(due - clock.now(), 0), longestWaitMs), wake)
  }

  function wake(): void {
    if (stopped || paused) return
    again = true
    cancelTimer?.()
    running ??= run()
      .catch(fault => {
        onError(fault)
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
    done: () => done,
    nextDue,
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
