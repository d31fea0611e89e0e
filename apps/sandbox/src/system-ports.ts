import { createHash, randomBytes } from 'node:crypto'
import type { Entropy, Timer } from '@lead-distribution/simulator'

/** Real time. */
export const systemClock = { now: () => Date.now() }

/** The longest that a Node timer waits, milliseconds. */
const longestWait = 2 ** 31 - 1

/** Timers that do not keep the process alive. */
export const systemTimer: Timer = {
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(0, ms), longestWait))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** The system's randomness, or with a seed a series that is the same each time: for runs that must repeat. */
export function createEntropy(seed: number | undefined): Entropy {
  if (seed === undefined) return { bytes: count => new Uint8Array(randomBytes(count)) }
  let drawn = 0
  return {
    bytes(count) {
      drawn += 1
      return new Uint8Array(createHash('shake256', { outputLength: count }).update(`${seed}/${drawn}`).digest())
    },
  }
}
