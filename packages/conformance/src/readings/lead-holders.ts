import { loanAmountBounds } from '@lead-distribution/contract'
import type { PublishedBand } from '@lead-distribution/test-leads'
import { reportStatus } from '../report-status.ts'
import type { Reply, Target } from '../target.ts'

/** A lead that was distributed, with what each advertiser is answered who reports on it. */
export interface HeldLead {
  readonly lead_id: string
  readonly replies: readonly Reply[]
  /** How many of the replies are those of one who has the lead. */
  readonly holders: number
  /** How many advertisers take such a lead by their criteria; undefined where these are not known. */
  readonly willing: number | undefined
}

/** Leads of one amount after the other, so that not always the same advertisers have them. */
export async function* heldLeads(target: Target): AsyncGenerator<HeldLead> {
  for (const amount of amounts(target)) {
    const body = target.submission(amount === undefined ? {} : { 'product_data.loan_amount': amount })
    const { json } = await target.submit(body)
    if (json?.status !== 'distributed') continue
    const replies: Reply[] = []
    for (const advertiser of target.facts.advertisers.keys())
      replies.push(await reportStatus(target, json.lead_id, 'registration', { advertiser }))
    const holders = replies.filter(({ status }) => status === 200).length
    yield { lead_id: json.lead_id, replies, holders, willing: willing(target, body.product_data) }
  }
}

/** Amounts: the usual one, then the ends of the advertisers' bands, or else some all over what can be asked for. */
function amounts({ facts }: Target): (number | undefined)[] {
  const { min, max } = loanAmountBounds
  const ends = facts.account?.advertisers.flatMap(({ criteria }) => [
    criteria.loan_amount.min,
    criteria.loan_amount.max,
  ])
  return [undefined, ...new Set(ends ?? [min, 2000, 20_000, 40_000, max])]
}

type Loan = ReturnType<Target['submission']>['product_data']

function willing({ facts }: Target, { loan_amount, loan_term_months, loan_purpose }: Loan): number | undefined {
  const isInside = (value: number, { min, max }: PublishedBand) => value >= min && value <= max
  return facts.account?.advertisers.filter(
    ({ criteria }) =>
      isInside(loan_amount, criteria.loan_amount) &&
      isInside(loan_term_months, criteria.loan_term_months) &&
      !criteria.loan_purposes_excluded.includes(loan_purpose),
  ).length
}
