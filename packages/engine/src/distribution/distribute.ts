import type { Lead } from '@lead-distribution/contract/shapes'
import type { Account, Advertiser } from '../account.ts'
import type { Delivery } from '../lead-record.ts'

/** A lead as an advertiser is asked about it. */
export interface Offer {
  lead_id: string
  lead: Lead
  /** Whether a forced outcome has it accepted, whatever the criteria. */
  forced?: true
}

/** What an advertiser answers to an offer. */
export type OfferReply = { decision: 'accepted'; redirect_url: string } | { decision: 'declined'; reasons: string[] }

/** The advertisers that are asked for a lead. The only network there is is simulated: no code here sends a lead anywhere. */
export interface AdvertiserNetwork {
  offer(advertiser: Advertiser, offer: Offer): Promise<OfferReply>
}

/**
 * Asks the advertisers for a lead in the order of their priority, the ping tree (Spec 1, 3; point 13 of the open
 * points): up to the first that accepts, or all of them.
 */
export async function distribute(account: Account, network: AdvertiserNetwork, offer: Offer): Promise<Delivery[]> {
  const deliveries: Delivery[] = []
  for (const advertiser of account.advertisers.toSorted((a, b) => a.priority - b.priority)) {
    const reply = await network.offer(advertiser, offer)
    const { advertiser_id, name } = advertiser
    if (reply.decision === 'declined') {
      deliveries.push({ advertiser_id, name, decision: 'declined', reasons: reply.reasons })
      continue
    }
    deliveries.push({ advertiser_id, name, decision: 'accepted', reasons: [], redirect_url: reply.redirect_url })
    if (account.settings.distribution === 'first_accept') break
  }
  return deliveries
}

/** The deliveries that gave an advertiser the lead. */
export function acceptedOf(deliveries: readonly Delivery[]): Delivery[] {
  return deliveries.filter(delivery => delivery.decision === 'accepted')
}

/** Whether an advertiser has a lead, and may therefore report on it. */
export function isHolder(deliveries: readonly Delivery[], advertiserId: string): boolean {
  return acceptedOf(deliveries).some(({ advertiser_id }) => advertiser_id === advertiserId)
}
