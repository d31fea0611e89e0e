import type { StatusFigures } from '@lead-distribution/contract/shapes'

/** By which form an advertiser reported (Spec 4.2, 4.3). */
export type Via = 'pixel' | 'body'

/** An event as it is kept. One lead has an event of one advertiser once. */
export interface EventRecord {
  lead_id: string
  advertiser_id: string
  /** What identifies the event: the canonical name. */
  event: string
  /** The name it was reported by. */
  reported_as: string
  via: Via
  ref?: string | undefined
  metadata?: StatusFigures | undefined
  /** Milliseconds since 1970 on the tenant's clock. */
  recorded_at: number
}
