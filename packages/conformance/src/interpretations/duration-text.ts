/** A span of time as an ISO 8601 duration, to the tenth of a second: `PT0.3S`. */
export function durationText(ms: number): string {
  return `PT${tenths(ms)}S`
}

/** A span of time in a sentence: `0.3 s`. */
export function secondsText(ms: number): string {
  return `${tenths(ms)} s`
}

/** A span of time that was not over when we stopped looking. */
export function atLeast(ms: number): string {
  return `>= ${durationText(ms)}`
}

/** A wait as it was seen, taken for the half second that it is nearest to: the way here takes a while too. */
export function nearestDuration(ms: number): string {
  return durationText(ms < 250 ? ms : Math.round(ms / 500) * 500)
}

function tenths(ms: number): number {
  return Math.round(ms / 100) / 10
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, Math.max(0, ms)))
}
