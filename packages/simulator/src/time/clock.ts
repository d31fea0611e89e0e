import type { Clock } from '@lead-distribution/engine'

/** The earliest time of a clock, milliseconds since 1970: all that it ever shows has a year of four digits. */
export const earliestTime = Date.UTC(1900, 0)

/**
 * The latest that a clock can be set to, milliseconds since 1970: the end of the year 9989. What waits then falls due
 * within ten years, the longest duration, at a time that still has a year of four digits.
 */
export const latestTime = Date.UTC(9990, 0) - 1

/** The latest that anything falls due, and the latest that a clock that runs on ever shows. */
export const latestDueTime = Date.UTC(10_000, 0) - 1

/** Timers of real time. */
export interface Timer {
  /** Calls `run` once after so many milliseconds; the returned function cancels that. */
  after(ms: number, run: () => void): () => void
}

/** Resolves after so many milliseconds of real time, or once `gone` is aborted. */
export function pause(timer: Timer, ms: number, gone?: AbortSignal): Promise<void> {
  if (gone?.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const cancel = timer.after(ms, end)
    gone?.addEventListener('abort', end)
    function end() {
      cancel()
      gone?.removeEventListener('abort', end)
      resolve()
    }
  })
}

export type ClockState =
  /** It follows real time, so many milliseconds ahead of it. */
  | { mode: 'running'; ahead_ms: number }
  /** It is frozen, at milliseconds since 1970. */
  | { mode: 'frozen'; now: number }

/** Returns the time that a clock in a state shows at a real time, milliseconds since 1970. */
export function shownAt(state: ClockState, realNow: number): number {
  return state.mode === 'frozen' ? state.now : realNow + state.ahead_ms
}

/** A tenant's clock: it follows real time, ahead of it or not, or is frozen. */
export interface TenantClock extends Clock {
  state(): ClockState
  restore(state: ClockState): void
  /** Returns by how many milliseconds the machine's clock was set back since the last call. */
  takeSetBack(): number
}

/** A smaller difference comes from two clocks that run differently, not from setting one, milliseconds. */
const setBackFromMs = 1_000

/** Creates a tenant's clock over real time and a monotonic clock. */
export function createTenantClock(realClock: Clock, initial: ClockState, steadyClock = realClock): TenantClock {
  let state = initial
  let seen = { real: realClock.now(), steady: steadyClock.now() }
  let setBack = 0

  function compare(): void {
    const next = { real: realClock.now(), steady: steadyClock.now() }
    const behind = next.steady - seen.steady - (next.real - seen.real)
    if (state.mode === 'running' && behind >= setBackFromMs) setBack += behind
    seen = next
  }

  return {
    now: () => shownAt(state, realClock.now()),
    state: () => state,
    restore(next) {
      compare()
      state = next
    },
    takeSetBack() {
      compare()
      const ms = setBack
      setBack = 0
      return ms
    },
  }
}

/** The clock of a tenant that processes share. */
export interface SharedClock {
  /** Runs a change once the clock is as the process left it that changed it last, while no other changes it. */
  exclusive<Result>(change: () => Promise<Result>): Promise<Result>
  /** Starts counting jobs, whichever process does them; the returned function ends that and resolves to their number. */
  countJobs(): Promise<() => Promise<number>>
}
