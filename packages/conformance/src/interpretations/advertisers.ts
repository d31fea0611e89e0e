import { loanAmountBounds } from '@lead-distribution/contract'
import type { PublishedBand } from '@lead-distribution/test-leads'
import { reportStatus } from '../report-status.ts'
import type { Target, TargetResponse } from '../target.ts'
import { probeOf } from './probe.ts'

/** Point 13 (Spec 1, 3): how many advertisers get a lead? */
export const distribution = probeOf('distribution', ['second_advertiser'], async target => {
  let looked = 0
  for await (const { holders, willing = 0 } of heldLeads(target)) {
    looked += 1
    if (holders > 1) return ['all_accepting', `On one lead ${holders} advertisers may report.`]
    if (holders === 1 && willing > 1)
      return [
        'first_accept',
        `By their criteria ${willing} advertisers take such a lead, and one of them may report on it.`,
      ]
  }
  return [
    undefined,
    `On none of ${looked} leads of several amounts two advertisers may report, and whether two would have taken one is not known: --account shows it.`,
  ]
})

/** Point 12 (Spec 4.2): how is the update of another advertiser's lead answered? */
export const otherAdvertiser = probeOf('other_advertiser', ['second_advertiser'], async target => {
  for await (const { responses, holders } of heldLeads(target)) {
    const advertiser = responses.findIndex(({ status }) => status !== 200)
    const response = responses[advertiser]
    if (holders === 0 || !response) continue
    const unknown = await reportStatus(target, crypto.randomUUID(), 'registration', { advertiser })
    const isAlike = unknown.status === response.status && unknown.json?.error === response.json?.error
    return [
      `http_${response.status}`,
      `An advertiser that reports on another one's lead is answered ${response.status}, ${isAlike ? 'the same as' : `and ${unknown.status}`} for an unknown lead.`,
    ]
  }
  return [undefined, 'Of the leads that were tried, each is of all the advertisers that are known, or of none.']
})

/** A distributed lead, with the response to a report of each advertiser on it. */
export interface HeldLead {
  readonly lead_id: string
  readonly responses: readonly TargetResponse[]
  /** How many of the responses are those of an advertiser that has the lead. */
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
    const responses: TargetResponse[] = []
    for (const advertiser of target.facts.advertisers.keys())
      responses.push(await reportStatus(target, json.lead_id, 'registration', { advertiser }))
    const holders = responses.filter(({ status }) => status === 200).length
    yield { lead_id: json.lead_id, responses, holders, willing: willing(target, body.product_data) }
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
