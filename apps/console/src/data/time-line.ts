import { formatLength } from './format.ts'

/** The distance up to which a time line is nearly linear, in milliseconds. */
const nearMs = 10_000

/**
 * Converts a distance from now to a position on a time line. The scale is logarithmic, so that seconds and months fit.
 */
export function placeOf(ms: number): number {
  return Math.sign(ms) * Math.log10(1 + Math.abs(ms) / nearMs)
}

/** Converts a position on a time line to a distance from now, in whole seconds for display. */
export function msAt(place: number): number {
  return Math.sign(place) * Math.round(((10 ** Math.abs(place) - 1) * nearMs) / 1_000) * 1_000
}

/** The marked distances on a time line, in milliseconds. */
const tickMs = [60_000, 3_600_000, 86_400_000, 30 * 86_400_000, 365 * 86_400_000, 3_650 * 86_400_000]

/** A mark on a time line. */
interface Tick {
  readonly place: number
  readonly label: string
}

/** The ends of a time line, and its marks. */
export interface TimeScale {
  readonly from: number
  readonly to: number
  readonly ticks: readonly Tick[]
}

/** Returns the scale of a time line that covers these distances, and at least an hour back and a day ahead. */
export function scaleOf(distancesMs: readonly number[]): TimeScale {
  const reach = (farthestMs: number) => placeOf(tickMs.find(ms => ms >= farthestMs) ?? farthestMs)
  const from = -reach(Math.max(3_600_000, ...distancesMs.map(ms => -ms)))
  const to = reach(Math.max(86_400_000, ...distancesMs))
  const ticks = tickMs.flatMap(ms => [
    { place: -placeOf(ms), label: `−${formatLength(ms)}` },
    { place: placeOf(ms), label: `+${formatLength(ms)}` },
  ])
  return { from, to, ticks: ticks.filter(({ place }) => place >= from && place <= to) }
}
