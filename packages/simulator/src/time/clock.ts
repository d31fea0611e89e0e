import type { Clock } from '@lead-distribution/engine'

/** The earliest time of a clock, in milliseconds since 1970. All times that a clock shows have a four-digit year. */
export const earliestTime = Date.UTC(1900, 0)

/**
 * The latest time that a clock can be set to, in milliseconds since 1970: the end of the year 9989. Jobs fall due within
 * ten years, the maximum duration, so due times still have a four-digit year.
 */
export const latestTime = Date.UTC(9990, 0) - 1

/** The latest due time, and the latest time that a running clock shows. */
export const latestDueTime = Date.UTC(10_000, 0) - 1

/** Timers of real time. */
export interface Timer {
  /** Calls `run` once after `ms` milliseconds. The returned function cancels it. */
  after(ms: number, run: () => void): () => void
}

/** Resolves after `ms` milliseconds of real time, or once `gone` is aborted. */
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
  /** The clock follows real time, `ahead_ms` ahead of it. */
  | { mode: 'running'; ahead_ms: number }
  /** The clock is frozen at `now`, in milliseconds since 1970. */
  | { mode: 'frozen'; now: number }

/** Returns the time that a clock shows at a real time, in milliseconds since 1970. */
export function shownAt(state: ClockState, realNow: number): number {
  return state.mode === 'frozen' ? state.now : realNow + state.ahead_ms
}

/** A tenant's clock: follows real time with an offset, or is frozen. */
export interface TenantClock extends Clock {
  state(): ClockState
  restore(state: ClockState): void
  /** Returns how far the machine's clock was set back since the last call, in milliseconds. */
  takeSetBack(): number
}

/** The minimum difference that counts as setting the clock back, in milliseconds. Smaller ones are clock drift. */
const setBackFromMs = 1_000

/** Creates a tenant's clock over real time and a monotonic clock. */
export function createTenantClock(realClock: Clock, initial: ClockState, steadyClock = realClock): TenantClock {
  let state = initial
  let last = { real: realClock.now(), steady: steadyClock.now() }
  let setBack = 0

  function compare(): void {
    const next = { real: realClock.now(), steady: steadyClock.now() }
    const behind = next.steady - last.steady - (next.real - last.real)
    if (state.mode === 'running' && behind >= setBackFromMs) setBack += behind
    last = next
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

/** The clock of a shared tenant. */
export interface SharedClock {
  /** Runs a change on the clock's latest state, one at a time across processes. */
  exclusive<Result>(change: () => Promise<Result>): Promise<Result>
  /** Starts counting finished jobs in all processes. The returned function stops counting and resolves to their number. */
  countJobs(): Promise<() => Promise<number>>
}
