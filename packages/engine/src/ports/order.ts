import type { RejectionReason } from '@lead-distribution/contract'
import type { Lead } from '@lead-distribution/contract/shapes'
import type { Tables } from './storage.ts'

/** What is to become of a submission whatever the rules say: for tests, where a real service has no such thing. */
export interface Order {
  /** The word it was ordered by; the trace tells it. */
  readonly word: string
  /** The outcome; the rules decide where neither this nor an answer is named. */
  readonly outcome?: 'new' | 'distributed' | RejectionReason
  /** What is answered in place of any decision; nothing is kept. */
  readonly answer?: { readonly status: number; readonly body: object }
}

/** What an order may be read from besides the lead. */
export interface OrderSource {
  /** What the caller asked for by a header. */
  readonly scenario?: string | undefined
  /** Whether nothing must change: the submission is explained, not made. */
  readonly dry: boolean
}

/** Where orders come from. Called when key, shape and semantic checks have passed, in the transaction of the submission. */
export type Orders<T extends Tables = Tables> = (
  lead: Lead,
  tables: T,
  source: OrderSource,
) => Promise<Order | undefined>
