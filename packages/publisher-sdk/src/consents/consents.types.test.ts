import { createConsents, createTracking, type LeadSubmission } from '@lead-distribution/publisher-sdk'
import { type LeadAdviceCode, lintConsents, lintLead, lintTracking } from '@lead-distribution/publisher-sdk/lint'
import { expect, it } from 'vitest'

const ip_address = '203.0.113.7'
const terms = { version: '3', document_url: 'https://publisher.example/terms/3' }
const privacy_policy = { version: '5', document_url: null }

/** Compiled, never run: the record is complete, and nobody's consent is assumed. */
export function consents(): LeadSubmission['consents'] {
  createConsents({ ip_address, user_agent: undefined, collected_at: new Date(), entries: { terms, privacy_policy } })
  createConsents({ ip_address, entries: { terms: { ...terms, accepted: Math.random() > 2 }, privacy_policy } })
  // @ts-expect-error the privacy policy is missing
  createConsents({ ip_address, entries: { terms } })
  // @ts-expect-error the terms are missing
  createConsents({ ip_address, entries: { privacy_policy, marketing: { ...terms, accepted: true } } })
  // @ts-expect-error nobody is taken to have agreed to marketing
  createConsents({ ip_address, entries: { terms, privacy_policy, marketing: terms } })
  // @ts-expect-error a version is required
  createConsents({ ip_address, entries: { terms: { document_url: null }, privacy_policy } })
  // @ts-expect-error a document is required, or said to be none
  createConsents({ ip_address, entries: { terms: { version: '3' }, privacy_policy } })
  // @ts-expect-error a time is a Date or a text
  createConsents({ ip_address, collected_at: Date.now(), entries: { terms, privacy_policy } })
  // @ts-expect-error the address is required
  createConsents({ entries: { terms, privacy_policy } })
  // @ts-expect-error the address may be missing: say what then
  createConsents({ ip_address: undefined, entries: { terms, privacy_policy } })
  const marketing = { version: '1', document_url: null, accepted: false, accepted_at: '2026-01-31T09:30:00Z' }
  const made = createConsents({ ip_address, entries: { terms, privacy_policy, marketing, own: marketing } })
  // One may be left out, and that is seen at run time alone.
  const asked = Math.random() > 2
  createConsents({ ip_address, entries: { terms, privacy_policy, ...(asked && { marketing }) } })
  createConsents({ ip_address, entries: { terms, privacy_policy, marketing: asked ? marketing : undefined } })
  // @ts-expect-error the terms are always asked for
  createConsents({ ip_address, entries: { terms: asked ? terms : undefined, privacy_policy } })
  return made.metadata.collected_at ? made : { entries: made.entries }
}

/** Compiled, never run: what is known of a page. */
export function tracking(url: URL): LeadSubmission['tracking'] {
  createTracking({ url: 'https://publisher.example', click_id: undefined, parameters: { sub_id: 'zone' } })
  // @ts-expect-error the source has no parameter of its own
  createTracking({ url, parameters: { source: 'from' } })
  // @ts-expect-error a text
  createTracking({ click_id: 7 })
  // @ts-expect-error no such field
  createTracking({ clickId: 'c' })
  return createTracking({ url })
}

/** Compiled, never run: the codes of an advice are closed. */
export function advice(lead: LeadSubmission): LeadAdviceCode | undefined {
  const [first] = [
    ...lintLead(lead, { now: new Date() }),
    ...lintConsents(lead.consents),
    ...lintTracking(lead.tracking),
  ]
  // @ts-expect-error no such code
  if (first?.code === 'ip_private') return undefined
  return first?.code === 'ip_address_not_public' ? 'version_missing' : first?.code
}

it('holds its types by what must not compile', () => {
  expect([consents, tracking, advice].every(each => typeof each === 'function')).toBe(true)
})
