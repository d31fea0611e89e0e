// Captured when the module loads, before a test installs fake timers.
const { setTimeout, clearTimeout } = globalThis

/** True if timers were already faked, as by a Jest setting: a fake timer has a `clock`. */
const isFake = 'clock' in setTimeout

/** A timer in real time, even in a test with fake timers. */
export const realTimer = {
  /** Calls `run` once after this many milliseconds; the returned function cancels it. */
  after(ms: number, run: () => void): () => void {
    if (isFake) {
      const signal = AbortSignal.timeout(ms)
      signal.addEventListener('abort', run)
      return () => signal.removeEventListener('abort', run)
    }
    const id = setTimeout(run, ms)
    return () => clearTimeout(id)
  },
}
