import {
  AuthError,
  type CallAttempt,
  createPublisher,
  type LeadSubmission,
  type New,
  type PersonalData,
  type Publisher,
  type RejectionReason,
  redirectResponse,
  rejectionReasons,
  type SubmitResult,
  type SubmittedLead,
  validateLead,
} from '@lead-distribution/publisher-sdk'
import { expect, it } from 'vitest'

const baseUrl = 'https://acme.example.com'

/** Compiled, never run: a client's address and key. */
export function clients(key: string | undefined) {
  createPublisher({ baseUrl: new URL(baseUrl), apiKey: key, fetch: globalThis.fetch, check: 'formal' })
  createPublisher({
    tenant: 'acme',
    serviceDomain: 'example.com',
    check: { gender: 'optional', consent_metadata: 'required' },
  })
  // @ts-expect-error no address
  createPublisher({ apiKey: 'k' })
  // @ts-expect-error half an address
  createPublisher({ tenant: 'acme' })
  // @ts-expect-error two addresses
  createPublisher({ baseUrl, tenant: 'acme', serviceDomain: 'example.com' })
  // @ts-expect-error a number is no key
  createPublisher({ baseUrl, apiKey: 7 })
  // @ts-expect-error no such reading
  createPublisher({ baseUrl, check: 'strict' })
}

/** Compiled, never run: what is sent is closed. */
export function requests(publisher: Publisher, lead: LeadSubmission, attempt: CallAttempt) {
  const { product_data } = lead
  publisher.submit(lead, { after: attempt, signal: undefined, timeoutMs: undefined, maxRetries: 0 })
  // @ts-expect-error request enumerations are closed
  publisher.submit({ ...lead, product_data: { ...product_data, loan_purpose: 'yacht' } })
  // @ts-expect-error amounts are numbers
  publisher.submit({ ...lead, product_data: { ...product_data, loan_amount: '5000' } })
  // @ts-expect-error the consents are required
  publisher.submit({ ...lead, consents: undefined })
  // @ts-expect-error null stands only where the specification says so
  publisher.submit({ ...lead, tracking: null })
  // @ts-expect-error a misspelled field: the wire says nacionality
  const personal_data: PersonalData = { first_name: 'Ana', last_name: 'Prueba', nationality: 'ES' }
  publisher.submit({ ...lead, customer: { ...lead.customer, personal_data } })
  // @ts-expect-error an earlier attempt is named by what the error carried
  publisher.submit(lead, { after: 'yesterday' })
  const { valid, lead: checked, issues } = validateLead({} as unknown)
  // @ts-expect-error an unchecked lead may be none
  publisher.submit(checked)
  return valid ? checked.product_id : issues.length
}

/** Compiled, never run: nothing but a distributed lead is redirected, by this helper or by a framework's own. */
export function redirects(result: SubmitResult, taken: New, redirect: (url: string) => void) {
  // @ts-expect-error a union: look at `outcome` first
  redirectResponse(result)
  // @ts-expect-error a new lead is not redirected
  redirectResponse(taken)
  // @ts-expect-error a bare text is no lead
  redirectResponse('https://lender.example')
  // @ts-expect-error a union has no address for certain
  redirect(result.redirect_url)
  // @ts-expect-error a new lead has none
  redirect(taken.redirect_url)
  if (result.outcome === 'distributed') {
    redirect(result.redirect_url)
    // @ts-expect-error the address alone is no lead
    redirectResponse(result.redirect_url)
    // @ts-expect-error an address that nobody checked
    redirectResponse({ ...result, redirect_url: 'https://evil.example' })
    return redirectResponse(result)
  }
  // @ts-expect-error nor is any other one redirected
  return redirectResponse(result)
}

/** Compiled, never run: a switch over the outcomes is whole, and the words of a newer service break nothing. */
export function outcomes(result: SubmitResult): string {
  switch (result.outcome) {
    case 'distributed':
      return result.redirect_url
    case 'new':
      return result.lead_id
    case 'rejected': {
      const reason: RejectionReason | (string & {}) | null = result.rejection_reason
      if (result.rejection_reason === 'age_restriction' || result.rejection_reason === 'a_reason_of_tomorrow') return ''
      // @ts-expect-error a newer service may know more reasons
      const known: RejectionReason | null = result.rejection_reason
      // @ts-expect-error a refused lead may have no id
      const id: string = result.lead_id
      return `${reason} ${known} ${id}`
    }
    case 'unrecognized':
      // @ts-expect-error nothing is known of what a newer service adds
      result.raw.redirect_url.length
      return result.status ?? 'no status'
    default:
      return result satisfies never
  }
}

/** Compiled, never run: many leads. */
export async function many(publisher: Publisher, leads: AsyncIterable<LeadSubmission>, lead: LeadSubmission) {
  publisher.submitMany(new Set([lead]), { concurrency: undefined, signal: undefined, timeoutMs: 1000 })
  // @ts-expect-error one lead is not many
  publisher.submitMany(lead)
  // @ts-expect-error nor are texts
  publisher.submitMany(['lead'])
  // @ts-expect-error many leads have no one earlier attempt
  publisher.submitMany(leads, { after: { callId: 'c', at: '' } })
  const run = publisher.submitMany(leads, { onProgress: ({ answered, ended }) => `${answered.distributed} ${ended}` })
  // @ts-expect-error the numbers are told, not set
  run.progress.failed = 0
  for await (const each of run) {
    // @ts-expect-error not every lead was answered
    each.result
    if (each.state === 'answered' && each.result.outcome === 'distributed') redirectResponse(each.result)
    states(each)
  }
}

function states(each: SubmittedLead): string | undefined {
  switch (each.state) {
    case 'answered':
      return each.result.outcome
    case 'failed':
      // @ts-expect-error a lead that was not created has no attempt to name
      each.attempt
      return AuthError.is(each.error) ? each.error.code : each.error.message
    case 'unknown':
      return each.error.sent + each.attempt.callId
    case 'not_sent':
      return each.lead.customer.external_id
    default:
      return each satisfies never
  }
}

it('holds its types by what must not compile', () => {
  expect([clients, requests, redirects, outcomes, many].every(each => typeof each === 'function')).toBe(true)
  expect(rejectionReasons).toContain('age_restriction')
})
