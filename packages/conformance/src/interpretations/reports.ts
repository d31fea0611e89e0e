import { convertedStatus, loanAmountBounds, unmetCriteria } from '@lead-distribution/contract'
import { describeResponse, fieldsOf } from '../expectations.ts'
import { firePixel, reportStatus } from '../report-status.ts'
import type { Target, TargetResponse } from '../target.ts'
import { probeOf } from './probe.ts'

export const statusMethods = probeOf('status_methods', ['advertiser'], async target => {
  const responses = []
  for (const method of ['POST', 'PATCH'] as const) {
    const { status } = await reportStatus(target, await target.distributedLead(), convertedStatus, { method })
    responses.push({ method, status })
  }
  const taken = responses.filter(({ status }) => status === 200).map(({ method }) => method)
  const areRefusals = responses.every(({ status }) => [200, 404, 405, 501].includes(status))
  return [
    taken.length > 0 && areRefusals ? taken : undefined,
    `On separate leads, ${responses.map(({ method, status }) => `${method} gets ${status}`).join(' and ')}.`,
  ]
})

/** A name that is on no list. */
const madeUp = 'put_on_the_shelf'

export const statusVocabulary = probeOf('status_vocabulary', ['advertiser'], async target => {
  const response = await reportStatus(target, await target.distributedLead(), madeUp)
  if (response.status === 200) return ['any', `The status ${madeUp}, which is on no list, is accepted.`]
  if (response.status === 400 && fieldsOf(response).some(field => field.includes('status')))
    return ['known', `The status ${madeUp}, which is on no list, is refused with a 400 that names the field.`]
  return [
    undefined,
    `The status ${madeUp} gets neither a 200 nor a 400 that names the field: ${describeResponse(response)}.`,
  ]
})

export const pixelHead = probeOf('pixel_head', ['advertiser', 'postback_secret'], async target => {
  const lead_id = await target.distributedLead()
  const { status } = await target.call('HEAD', `${await target.postbackUrl(lead_id)}&event=completed`)
  const after = await firePixel(target, lead_id, 'completed')
  if (after.json?.status === 'received')
    return ['records_nothing', `HEAD gets ${status}, and a GET after it is the first report of the event.`]
  if (after.json?.status === 'ignored')
    return ['records', `HEAD gets ${status}, and a GET after it is a repeat of the event.`]
  return [undefined, `HEAD gets ${status}, and a GET after it gets ${describeResponse(after)}.`]
})

export const distribution = probeOf('distribution', ['second_advertiser'], async target => {
  let looked = 0
  for await (const { holders, willing = 0 } of heldLeads(target)) {
    looked += 1
    if (holders > 1) return ['all_accepting', `On one lead, ${holders} advertisers may report.`]
    if (holders === 1 && willing > 1)
      return [
        'first_accept',
        `By their criteria, ${willing} advertisers accept a lead, and one of them may report on it.`,
      ]
  }
  return [
    undefined,
    `None of ${looked} leads with different amounts is open to reports of two advertisers, and it is unknown whether two would have accepted one: pass --account.`,
  ]
})

export const otherAdvertiser = probeOf('other_advertiser', ['second_advertiser'], async target => {
  for await (const { responses, holders } of heldLeads(target)) {
    const advertiser = responses.findIndex(({ status }) => status !== 200)
    const response = responses[advertiser]
    if (holders === 0 || !response) continue
    const unknown = await reportStatus(target, crypto.randomUUID(), 'registration', { advertiser })
    const isAlike = unknown.status === response.status && unknown.json?.error === response.json?.error
    return [
      `http_${response.status}`,
      `A report on another advertiser's lead gets ${response.status}, ${isAlike ? 'the same as' : `but ${unknown.status}`} for an unknown lead.`,
    ]
  }
  return [undefined, 'Each lead that was tried belongs to all known advertisers, or to none.']
})

/** A distributed lead, with the response to each advertiser's report on it. */
interface HeldLead {
  readonly lead_id: string
  readonly responses: readonly TargetResponse[]
  /** The number of advertisers that may report on the lead. */
  readonly holders: number
  /** The number of advertisers whose criteria the lead meets. Undefined if the criteria are unknown. */
  readonly willing: number | undefined
}

/** Submits leads with different amounts, so that different advertisers get them. */
export async function* heldLeads(target: Target): AsyncGenerator<HeldLead> {
  for (const amount of amounts(target)) {
    const body = target.submission(amount === undefined ? {} : { 'product_data.loan_amount': amount })
    const { json } = await target.submit(body)
    if (json?.status !== 'distributed') continue
    const responses: TargetResponse[] = []
    for (const advertiser of target.facts.advertisers.keys())
      responses.push(await reportStatus(target, json.lead_id, 'registration', { advertiser }))
    const holders = responses.filter(({ status }) => status === 200).length
    const willing = target.facts.account?.advertisers.filter(
      ({ criteria }) => unmetCriteria(criteria, body.product_data).length === 0,
    )
    yield { lead_id: json.lead_id, responses, holders, willing: willing?.length }
  }
}

/** Returns the default amount, then the limits of the advertisers' criteria, or else some amounts across the range. */
function amounts({ facts }: Target): (number | undefined)[] {
  const { min, max } = loanAmountBounds
  const ends = facts.account?.advertisers.flatMap(({ criteria }) => [
    criteria.loan_amount.min,
    criteria.loan_amount.max,
  ])
  return [undefined, ...new Set(ends ?? [min, 2000, 20_000, 40_000, max])]
}
