import { type LeadSubmission, loanAmountBounds, unmetCriteria } from '@lead-distribution/contract'
import { requestsOf, type TestLeadEntry } from '@lead-distribution/contract/test-leads'
import { missingNeed, type Run, Unclear } from './case.ts'
import type { Callbacks, Changes, Target, TargetResponse } from './target.ts'

// The requests of cases and probes.

/** An id that belongs to no product and no publisher. */
export const unknownId = '00000000-0000-0000-0000-000000000000'

/** A key that was never issued. */
export const unknownKey = 'key_that_nobody_has'

/** Submits a valid lead of a new customer, with these changes. */
export function submitLead(target: Target, changes?: Changes): Promise<TargetResponse> {
  return target.submit(target.submission(changes))
}

/** Returns the changes that give a lead the same customer as this one. */
export function sameCustomer({ customer }: LeadSubmission, { inUppercase = false } = {}): Changes {
  const { address } = customer.contact.email
  return { 'customer.contact.email.address': inUppercase ? address.toUpperCase() : address }
}

/** Submits a raw body, as JSON by default. */
export function submitText(
  target: Target,
  body: string | Uint8Array,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<TargetResponse> {
  return target.submit(body, { headers })
}

/**
 * Returns the leads that lead to an outcome by the account's published criteria, in order. The last one has the
 * outcome.
 * @throws {Unclear} if the criteria can't produce the outcome. The message says which criteria to change.
 */
export function testLeads({ testLeads }: Target, name: TestLeadEntry['name']): [LeadSubmission, ...LeadSubmission[]] {
  if (!testLeads) throw new Unclear("The account's criteria are unknown: pass --account.")
  try {
    const [first, ...others] = requestsOf(testLeads[name]()).map(({ body }) => JSON.parse(body))
    return [first, ...others]
  } catch (error) {
    throw new Unclear((error as Error).message)
  }
}

/** Submits the test leads for an outcome. Returns the last response. */
export async function submitTestLeads(target: Target, name: TestLeadEntry['name']): Promise<TargetResponse> {
  const [first, second] = testLeads(target, name)
  const response = await target.submit(first)
  return second ? target.submit(second) : response
}

/** The options of a status update. */
interface ReportOptions {
  /** Index of the advertiser in the facts. Default: 0. */
  readonly advertiser?: number
  /** Default: a method that the target accepts. */
  readonly method?: 'POST' | 'PATCH'
  /** Sent in place of the advertiser's key. */
  readonly key?: string | undefined
}

/** Sends a status update (Spec 4.2): a status, or a whole body. */
export async function reportStatus(target: Target, lead_id: string, report: unknown, options: ReportOptions = {}) {
  const method = options.method ?? (await statusMethod(target))
  const key = 'key' in options ? options.key : target.facts.advertisers[options.advertiser ?? 0]?.api_key
  const body = typeof report === 'string' ? { status: report } : report
  return target.call(method, `/lead/${lead_id}/status`, { key, body })
}

/** Creates a case about a new lead that the first advertiser in the facts has. */
export function onNewLead(run: (target: Target, lead_id: string) => Promise<unknown>): Run {
  return async target => run(target, await target.distributedLead())
}

/** Sends a status update for a new lead. */
export async function reportOnNewLead(target: Target, report: unknown, options?: ReportOptions) {
  return reportStatus(target, await target.distributedLead(), report, options)
}

/** Returns a method that the target accepts for status updates, if known. */
export async function statusMethod(target: Target): Promise<'POST' | 'PATCH'> {
  return (await target.interpretation('status_methods'))?.[0] ?? 'POST'
}

/** Fires the pixel (Spec 4.3): a lead's postback URL with this event, and anything else appended to the query. */
export async function firePixel(target: Target, lead_id: string, event: string, more = ''): Promise<TargetResponse> {
  return target.call('GET', `${await target.postbackUrl(lead_id)}&event=${event}${more}`)
}

/**
 * Records an event that is on both lists, by status update or else by pixel.
 * @throws {Unclear} if the target accepts neither.
 */
export async function recordEvent(target: Target, lead_id: string, event: string): Promise<void> {
  const byBody = await reportStatus(target, lead_id, event)
  if (byBody.status === 200) return
  const hasPixel = missingNeed(['postback_secret'], target) === undefined
  const byPixel = hasPixel ? await firePixel(target, lead_id, event) : undefined
  if (byPixel?.status === 200) return
  const responses = `${byBody.status} to a status update${byPixel ? `, ${byPixel.status} to the pixel` : ''}`
  throw new Unclear(`The event ${event} could not be reported. Responses: ${responses}.`)
}

/**
 * Returns the publisher's end of the callbacks.
 * @throws {Unclear} if nothing listens for them.
 */
export function callbacksOf({ callbacks }: Target): Callbacks {
  if (callbacks) return callbacks
  throw new Unclear('Nothing listens for callbacks: pass --callback-listen.')
}

/**
 * Submits leads with different amounts, so that different advertisers get them. Yields the distributed ones, with the
 * response to each advertiser's report on the lead.
 */
export async function* heldLeads(target: Target) {
  const { account, advertisers } = target.facts
  const limits = account?.advertisers.flatMap(({ criteria: { loan_amount } }) => [loan_amount.min, loan_amount.max])
  const amounts = new Set(limits ?? [loanAmountBounds.min, 2000, 20_000, 40_000, loanAmountBounds.max])
  for (const amount of [undefined, ...amounts]) {
    const body = target.submission(amount === undefined ? {} : { 'product_data.loan_amount': amount })
    const { json } = await target.submit(body)
    if (json?.status !== 'distributed') continue
    const responses: TargetResponse[] = []
    for (const advertiser of advertisers.keys())
      responses.push(await reportStatus(target, json.lead_id, 'registration', { advertiser }))
    yield {
      responses,
      /** The number of advertisers that may report on the lead. */
      holders: responses.filter(({ status }) => status === 200).length,
      /** The index in the facts of the first advertiser that may not report on the lead, or -1. */
      other: responses.findIndex(({ status }) => status !== 200),
      /** The number of advertisers whose criteria the lead meets. Undefined if the criteria are unknown. */
      willing: account?.advertisers.filter(({ criteria }) => unmetCriteria(criteria, body.product_data).length === 0)
        .length,
    }
  }
}
