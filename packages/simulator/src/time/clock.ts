import type { Clock } from '@lead-distribution/engine'

/** Timers of real time. */
export interface Timer {
  /** Calls once after so many milliseconds, unless it is cancelled by what it returns. */
  after(ms: number, run: () => void): () => void
}

/** The state of a tenant's clock. */
export type ClockState =
  /** It follows real time, so many milliseconds ahead of it. */
  | { mode: 'running'; ahead_ms: number }
  /** It is frozen, at milliseconds since 1970. */
  | { mode: 'frozen'; now: number }

/** A tenant's clock: it follows real time, ahead of it or not, or is frozen. */
export interface TenantClock extends Clock {
  state(): ClockState
  restore(state: ClockState): void
}

/** A tenant's clock over real time. */
export function createTenantClock(realClock: Clock, initial: ClockState): TenantClock {
  let state = initial
  return {
    now: () => (state.mode === 'frozen' ? state.now : realClock.now() + state.ahead_ms),
    state: () => state,
    restore(next) {
      state = next
    },
  }
}
