import type { WireError } from '@lead-distribution/contract'
import type { TraceStep } from './trace.ts'
import type { PortabilityWarning } from './warning.ts'

/** What an operation answers, and what is worth noting of how it came about. */
export interface Answer {
  /** HTTP status. */
  status: number
  /** JSON body. */
  body: object
  /** Headers besides those of every reply. */
  headers?: Readonly<Record<string, string>>
  /** The lead it is about, where there is one. */
  lead_id?: string
  /** Every check of the decision, where one was made. */
  trace?: TraceStep[]
  /** The event that was reported, by its canonical name, and whether that was new. */
  report?: { readonly event: string; readonly recorded: boolean }
  /** The word of the order that forced it, where one did. */
  forced_by?: string
  /** Where another reading of the specification would have answered otherwise. */
  warnings?: PortabilityWarning[]
}

/** A refusal as an answer. */
export function refusal(error: WireError, notes: Omit<Answer, 'status' | 'body'> = {}): Answer {
  return { ...error, ...notes }
}
