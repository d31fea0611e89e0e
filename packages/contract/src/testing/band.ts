import type { PublishedBand } from './published-account.ts'

/** What is inside of all bands; undefined where they share nothing. */
export function shared(...bands: readonly PublishedBand[]): PublishedBand | undefined {
  const min = Math.max(...bands.map(band => band.min))
  const max = Math.min(...bands.map(band => band.max))
  return min > max ? undefined : { min, max }
}

/** The number inside of a band that is nearest to a wanted one. */
export function nearest(wanted: number, { min, max }: PublishedBand): number {
  return Math.min(Math.max(wanted, min), max)
}

/** The number next to a band that can be sent; undefined where all that can be sent is inside of it. */
export function nextOutside({ min, max }: PublishedBand, sendable: PublishedBand): number | undefined {
  return [min - 1, max + 1].map(value => nearest(value, sendable)).find(value => value < min || value > max)
}

/**
 * Numbers of a band. If any number of it is outside of all `others`, one of these is: what is free begins where the
 * band begins or behind one of the others.
 */
export function gapCandidates(band: PublishedBand, others: readonly PublishedBand[]): number[] {
  const beginnings = [band.min, ...others.map(({ max }) => max + 1)]
  return [...new Set(beginnings)].filter(value => value >= band.min && value <= band.max)
}
