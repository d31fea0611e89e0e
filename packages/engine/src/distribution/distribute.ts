import type { Account } from '../account/account.ts'
import type { Delivery } from '../lead-record.ts'
import type { AdvertiserPanel, Offer } from '../ports/advertiser-panel.ts'

/**
 * Asks the advertisers for a lead in the order of their priority, the ping tree (Spec 1, 3; point 13):
 * up to the first that accepts, or all of them.
 */
export async function distribute(account: Account, panel: AdvertiserPanel, offer: Offer): Promise<Delivery[]> {
  const deliveries: Delivery[] = []
  for (const advertiser of account.advertisers.toSorted((a, b) => a.priority - b.priority)) {
    const reply = await panel.offer(advertiser, offer)
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
