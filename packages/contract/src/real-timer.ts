// Taken when the module is loaded, which is before a test fakes them.
const { setTimeout, clearTimeout } = globalThis

/** True if they were faked before, as by a setting of Jest: a fake one holds its clock. */
const isFake = 'clock' in setTimeout

/** A timer of real time, also in a test that fakes the global ones. */
export const realTimer = {
  /** Calls `run` once after so many milliseconds; the returned function cancels that. */
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
