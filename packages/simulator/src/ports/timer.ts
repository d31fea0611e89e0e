/** Real time that passes. */
export interface Timer {
  /** Calls once after so many milliseconds, unless it is cancelled by what it returns. */
  after(ms: number, run: () => void): () => void
}
