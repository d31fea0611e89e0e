/** How a tenant's clock stands. */
export type ClockState =
  /** It goes with real time, so many milliseconds ahead of it. */
  | { mode: 'running'; ahead_ms: number }
  /** It stands still, at milliseconds since 1970. */
  | { mode: 'frozen'; now: number }
