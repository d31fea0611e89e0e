import {
  createConsents,
  createPublisher,
  createTracking,
  type Lead,
  type LeadSubmission,
  type New,
  type PersonalData,
  type Publisher,
  type RejectionReason,
  redirectResponse,
  type SubmitResult,
  validateLead,
} from '@lead-distribution/publisher-sdk'
import { expect, it } from 'vitest'

const baseUrl = 'https://acme.example.com'

/** Compiled, never run: a client's address and key. */
export function clients(key: string | undefined) {
  createPublisher({ baseUrl: new URL(baseUrl), apiKey: key, fetch: globalThis.fetch })
  createPublisher({ tenant: 'acme', serviceDomain: 'example.com', publisherId: 'p' })
  createPublisher()
  createPublisher({ baseUrl: undefined })
  // @ts-expect-error half an address
  createPublisher({ tenant: 'acme' })
  // @ts-expect-error two addresses
  createPublisher({ baseUrl, tenant: 'acme', serviceDomain: 'example.com' })
}

/** Compiled, never run: requests are closed. */
export function requests(publisher: Publisher, lead: LeadSubmission) {
  const { product_data } = lead
  publisher.submit(lead, { resubmission: true, signal: undefined, timeoutMs: undefined, maxRetries: 0 })
  const { publisher_id, ...rest } = lead
  const own: Lead = rest
  publisher.submit({ ...own, publisher_id: Math.random() > 2 ? publisher_id : undefined })
  const unset = undefined as string | undefined
  const personal = { ...lead.customer.personal_data, birthday: unset, second_surname: unset, gender: undefined }
  const consents = { ...lead.consents, metadata: undefined }
  const customer = {
    ...lead.customer,
    personal_data: personal,
    external_id: unset,
    address: undefined,
    profile: undefined,
  }
  publisher.submit({ ...lead, customer, consents, tracking: { click_id: unset, source: unset } })
  // @ts-expect-error request enumerations are closed
  publisher.submit({ ...lead, product_data: { ...product_data, loan_purpose: 'yacht' } })
  // @ts-expect-error null is allowed only where the specification says so
  publisher.submit({ ...lead, tracking: null })
  // @ts-expect-error a misspelled field: the wire says nacionality
  const personal_data: PersonalData = { first_name: 'Ana', last_name: 'Prueba', nationality: 'ES' }
  publisher.submit({ ...lead, customer: { ...lead.customer, personal_data } })
  const { valid, lead: checked, issues } = validateLead({} as unknown)
  // @ts-expect-error an unchecked lead may be undefined
  publisher.submit(checked)
  return valid ? checked.product_id : issues.length
}

/** Compiled, never run: only a distributed lead can be redirected, by this helper or by a framework. */
export function redirects(result: SubmitResult, taken: New, redirect: (url: string) => void) {
  // @ts-expect-error a union: check `outcome` first
  redirectResponse(result)
  // @ts-expect-error a new lead is not redirected
  redirectResponse(taken)
  // @ts-expect-error a string is not a lead
  redirectResponse('https://advertiser.example')
  // @ts-expect-error a union may have no URL
  redirect(result.redirect_url)
  // @ts-expect-error a new lead has no URL
  redirect(taken.redirect_url)
  if (result.outcome === 'distributed') {
    redirect(result.redirect_url)
    // @ts-expect-error a URL is not a lead
    redirectResponse(result.redirect_url)
    // @ts-expect-error an unchecked URL
    redirectResponse({ ...result, redirect_url: 'https://evil.example' })
    return redirectResponse(result)
  }
  // @ts-expect-error no other outcome can be redirected
  return redirectResponse(result)
}

/** Compiled, never run: a switch can be exhaustive, and new values from a newer service break nothing. */
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
      // @ts-expect-error a rejected lead may have no id
      const id: string = result.lead_id
      return `${reason} ${known} ${id}`
    }
    case 'unrecognized':
      // @ts-expect-error fields from a newer service are unknown
      result.raw.redirect_url.length
      return result.status ?? 'no status'
    case 'unknown':
      // @ts-expect-error the lost reply contained the id
      result.lead_id.length
      // @ts-expect-error there is no body either
      result.raw
      return result.error.callId + result.error.at
    default:
      return result satisfies never
  }
}

/** Compiled, never run: a switch without the lost reply is not exhaustive. */
export function forgetful(result: SubmitResult): string {
  switch (result.outcome) {
    case 'distributed':
    case 'new':
      return result.lead_id
    case 'rejected':
    case 'unrecognized':
      return 'no lead'
    default:
      // @ts-expect-error the lead may exist
      return result satisfies never
  }
}

/** Compiled, never run: options and methods of earlier versions. */
export function gone(publisher: Publisher, lead: LeadSubmission) {
  // @ts-expect-error there is no bulk call
  publisher.submitMany([lead])
  // @ts-expect-error `resubmission` marks a repeat
  publisher.submit(lead, { previousAttempt: null })
  // @ts-expect-error the back-off is not configurable
  createPublisher({ baseUrl, backOff: {} })
}

const ip_address = '203.0.113.7'
const unanswered = { version: '3', document_url: 'https://publisher.example/terms/3' }
const terms = { ...unanswered, accepted: true }
const privacy_policy = { version: '5', document_url: null, accepted: true }

/** Compiled, never run: all consents are required, and none is assumed. */
export function consents(): LeadSubmission['consents'] {
  createConsents({ ip_address, user_agent: undefined, collected_at: new Date(), entries: { terms, privacy_policy } })
  createConsents({ ip_address, entries: { terms: { ...terms, accepted: Math.random() > 2 }, privacy_policy } })
  // @ts-expect-error the privacy policy is missing
  createConsents({ ip_address, entries: { terms } })
  // @ts-expect-error the terms are missing
  createConsents({ ip_address, entries: { privacy_policy, marketing: { ...terms, accepted: true } } })
  // @ts-expect-error consent to the terms is never assumed
  createConsents({ ip_address, entries: { terms: unanswered, privacy_policy } })
  // @ts-expect-error the same for the privacy policy
  createConsents({ ip_address, entries: { terms, privacy_policy: unanswered } })
  // @ts-expect-error the same for marketing
  createConsents({ ip_address, entries: { terms, privacy_policy, marketing: unanswered } })
  // @ts-expect-error a value that may be undefined is not a decision
  createConsents({ ip_address, entries: { terms: { ...unanswered, accepted: undefined }, privacy_policy } })
  // @ts-expect-error the address is required
  createConsents({ ip_address: undefined, entries: { terms, privacy_policy } })
  const marketing = { version: '1', document_url: null, accepted: false, accepted_at: '2026-01-31T09:30:00Z' }
  const made = createConsents({ ip_address, entries: { terms, privacy_policy, marketing, own: marketing } })
  // An optional consent may be left out, which only shows at run time.
  const asked = Math.random() > 2
  createConsents({ ip_address, entries: { terms, privacy_policy, ...(asked && { marketing }) } })
  createConsents({ ip_address, entries: { terms, privacy_policy, marketing: asked ? marketing : undefined } })
  // @ts-expect-error the terms are always required
  createConsents({ ip_address, entries: { terms: asked ? terms : undefined, privacy_policy } })
  return made.metadata.collected_at ? made : { entries: made.entries }
}

/** Compiled, never run: tracking data from a landing page. */
export function tracking(url: URL): LeadSubmission['tracking'] {
  createTracking({ url: 'https://publisher.example', click_id: undefined, parameters: { sub_id: 'zone' } })
  return createTracking({ url })
}

it('rejects misuse at compile time', () => {
  expect(
    [clients, requests, redirects, outcomes, forgetful, gone, consents, tracking].every(
      each => typeof each === 'function',
    ),
  ).toBe(true)
})
