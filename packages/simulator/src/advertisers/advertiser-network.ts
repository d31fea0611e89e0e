import { type Advertiser, type AdvertiserNetwork, isInside, type Offer } from '@lead-distribution/engine'

/**
 * The only network there is: advertisers that are simulated in process by their published criteria. Nothing
 * here opens a connection, and there is no other network to use in its place.
 */
export function createAdvertiserNetwork(
  redirectUrl: (leadId: string, advertiserId: string) => string,
): AdvertiserNetwork {
  return {
    async offer(advertiser, offer) {
      const reasons = offer.forced ? [] : declineReasons(advertiser, offer)
      return reasons.length > 0
        ? { decision: 'declined', reasons }
        : { decision: 'accepted', redirect_url: redirectUrl(offer.lead_id, advertiser.advertiser_id) }
    },
  }
}

function declineReasons({ criteria }: Advertiser, { lead }: Offer): string[] {
  const { loan_amount, loan_term_months, loan_purpose } = lead.product_data
  const income = lead.customer.profile?.monthly_income
  const band = ({ min, max }: { min: number; max: number }) => `from ${min} to ${max}`
  return [
    isInside(criteria.loan_amount, loan_amount)
      ? []
      : [`lends amounts ${band(criteria.loan_amount)} euros, not ${loan_amount}`],
    isInside(criteria.loan_term_months, loan_term_months)
      ? []
      : [`lends for terms ${band(criteria.loan_term_months)} months, not ${loan_term_months}`],
    criteria.loan_purposes_excluded.includes(loan_purpose) ? [`does not lend for ${loan_purpose}`] : [],
    income !== undefined && income < criteria.minimum_monthly_income
      ? [`lends to incomes of at least ${criteria.minimum_monthly_income} euros a month, not ${income}`]
      : [],
  ].flat()
}
