/** What came of one check. `forced` is a scenario's, `skipped` was not reached. */
export type Verdict = 'passed' | 'rejected' | 'skipped' | 'forced'

/** One check of a decision. */
export interface TraceStep {
  /** The check's name. */
  check: string
  /** What came of it. */
  verdict: Verdict
  /** What it looked at. */
  input?: unknown
  /** What it compared that with. */
  threshold?: unknown
  /** What to change for another verdict. */
  hint?: string
}
