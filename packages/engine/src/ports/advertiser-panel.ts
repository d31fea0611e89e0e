import type { Lead } from '@lead-distribution/contract/shapes'
import type { Advertiser } from '../account/advertiser.ts'

/** A lead as an advertiser is asked about it. */
export interface Offer {
  lead_id: string
  lead: Lead
  /** Whether an order says that it is taken, whatever the criteria. */
  forced?: true
}

/** What an advertiser says to an offer. */
export type OfferReply = { decision: 'accepted'; redirect_url: string } | { decision: 'declined'; reasons: string[] }

/** Who is asked for a lead. The only panel there is is a simulated one: no code here sends a lead anywhere. */
export interface AdvertiserPanel {
  offer(advertiser: Advertiser, offer: Offer): Promise<OfferReply>
}
