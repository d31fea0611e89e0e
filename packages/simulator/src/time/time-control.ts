import { type ClockState, pause, type TenantClock, type Timer } from './clock.ts'
import { createSerialQueue, type SerialQueue } from './locks.ts'
import type { Scheduler } from './scheduler.ts'

/** The earliest time of a clock, milliseconds since 1970: all that it ever shows has a year of four digits. */
export const earliestTime = Date.UTC(1900, 0)

/**
 * The latest that a clock can be set to, milliseconds since 1970: the end of the year 9989. What waits then falls due
 * within ten years, the longest duration, at a time that still has a year of four digits.
 */
export const latestTime = Date.UTC(9990, 0) - 1

/** The latest that anything falls due, and the latest that a clock that runs on ever shows. */
export const latestDueTime = Date.UTC(10_000, 0) - 1

/** Changes a tenant's time. It goes forward only; only restoring a snapshot goes back. */
export interface TimeControl {
  freeze(): Promise<void>
  resume(): Promise<void>
  /** Jumps forward, and runs the jobs that fell due meanwhile at the new time. False if the time is past or too far ahead. */
  set(at: number): Promise<boolean>
  /**
   * Advances to each due time in turn, doing its jobs. Resolves to their number; undefined if too far ahead. If a job
   * cannot be done, it rejects, and the clock stays at the time of that job.
   */
  advance(ms: number): Promise<number | undefined>
  /** Takes over the state that another process gave the clock, unless this one is changing it. */
  takeOver(state: ClockState): void
  /** Runs something while the clock does not change. */
  hold<Result>(run: () => Promise<Result>): Promise<Result>
}

export interface TimeControlOptions {
  readonly clock: TenantClock
  readonly realNow: () => number
  readonly scheduler: Scheduler
  readonly timer: Timer
  readonly store: (state: ClockState) => Promise<void>
  /** Set if processes share the clock. */
  readonly shared?: SharedClock | undefined
}

export interface SharedClock {
  /** Runs a change once the clock is as the process left it that changed it last, while no other changes it. */
  exclusive<Result>(change: () => Promise<Result>): Promise<Result>
  /** Starts counting jobs, whichever process does them; the returned function ends that and resolves to their number. */
  countJobs(): Promise<() => Promise<number>>
}

/** The most steps of one advance, which bounds retries that start again for ever. */
const maxSteps = 1_000_000

/** The interval at which an advance looks whether a leased callback is done, milliseconds of real time. */
const leasedMs = 50

/** Creates time control. Its calls are serialized. */
export function createTimeControl(options: TimeControlOptions): TimeControl {
  const { clock, realNow, scheduler, timer, shared } = options
  const inTurn = createSerialQueue()
  const { keep, attempt, see } = createKeeper(options)
  const { changing, isChanging } = createChanging(inTurn, attempt, shared)
  const change = async (state: ClockState) => {
    await keep(state)
    clock.restore(state)
    scheduler.wake()
  }
  /** The state in which the clock shows a time now, running or frozen. */
  const showing = (now: number, mode: ClockState['mode']): ClockState =>
    mode === 'frozen' ? { mode, now } : { mode, ahead_ms: now - realNow() }

  async function step(to: number, mode: ClockState['mode']): Promise<void> {
    await keep(showing(to, mode))
    clock.restore({ mode: 'frozen', now: to })
    await settle()
  }

  async function settle(): Promise<void> {
    const failure = await scheduler.settle()
    if (failure !== undefined) throw failure
  }

  return {
    takeOver(state) {
      if (isChanging()) return see(state)
      if (isSame(state, clock.state())) return
      clock.restore(state)
      scheduler.wake()
    },
    hold: inTurn,
    freeze: () =>
      changing(() => {
        // Frozen before it is stored: calls that come in meanwhile would be ahead of the frozen time.
        clock.restore(showing(clock.now(), 'frozen'))
        return change(clock.state())
      }),
    resume: () => changing(() => change(showing(clock.now(), 'running'))),
    set: at =>
      changing(async () => {
        // Compared this way round, a text that is no time (NaN) is refused too.
        if (!(at >= clock.now() && at <= latestTime)) return false
        await change(showing(at, clock.state().mode))
        await scheduler.settle()
        return true
      }),
    advance: ms =>
      changing(async () => {
        const { mode } = clock.state()
        const end = clock.now() + ms
        if (end > latestTime) return undefined
        const countedJobs = await countJobs(options)
        clock.restore({ mode: 'frozen', now: clock.now() })
        try {
          await settle()
          for (let steps = 0; steps < maxSteps; steps++) {
            const { nextDue: due } = scheduler.state()
            if (due === undefined || due > end) break
            // Another process is doing it or did it, or its lease must expire.
            if (due <= clock.now()) await pause(timer, leasedMs)
            await step(Math.max(due, clock.now()), mode)
          }
          await step(end, mode)
        } finally {
          await change(showing(clock.now(), mode))
        }
        return countedJobs()
      }),
  }
}

/** Counts jobs from now on. If other processes do some of them, the storage counts them all. */
async function countJobs({ scheduler, shared }: TimeControlOptions): Promise<() => Promise<number>> {
  if (shared) return shared.countJobs()
  const { done } = scheduler.state()
  return async () => scheduler.state().done - done
}

/** Serializes changes, those of other processes too if they share the clock. */
function createChanging(
  inTurn: SerialQueue,
  attempt: <Result>(run: () => Promise<Result>) => Promise<Result>,
  shared: SharedClock | undefined,
) {
  let changes = 0
  return {
    isChanging: () => changes > 0,
    changing<Result>(run: () => Promise<Result>): Promise<Result> {
      const change = async () => {
        changes += 1
        return attempt(run).finally(() => {
          changes -= 1
        })
      }
      return inTurn(() => (shared ? shared.exclusive(change) : change()))
    },
  }
}

function isSame(one: ClockState, other: ClockState): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Stores the states of a clock, and takes the clock back to what is stored when a change of it fails. */
function createKeeper({ clock, scheduler, store }: TimeControlOptions) {
  let stored = clock.state()
  return {
    async keep(state: ClockState): Promise<void> {
      await store(state)
      stored = state
    },
    /** Notes what another process stored during a change, which it took over from this one. */
    see(state: ClockState): void {
      stored = state
    },
    async attempt<Result>(change: () => Promise<Result>): Promise<Result> {
      stored = clock.state()
      try {
        return await change()
      } catch (error) {
        clock.restore(stored)
        scheduler.wake()
        throw error
      }
    },
  }
}
