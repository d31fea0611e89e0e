import type { Clock } from '@lead-distribution/engine'
import type { ClockState } from './clock-state.ts'

/** A tenant's clock: it goes with real time, ahead of it or not, or stands still. */
export interface TenantClock extends Clock {
  state(): ClockState
  put(state: ClockState): void
}

/** A clock of its own over real time. */
export function createTenantClock(realClock: Clock, initial: ClockState): TenantClock {
  let state = initial
  return {
    now: () => (state.mode === 'frozen' ? state.now : realClock.now() + state.ahead_ms),
    state: () => state,
    put(next) {
      state = next
    },
  }
}
