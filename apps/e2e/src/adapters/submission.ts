import type { LeadSubmission } from '@lead-distribution/contract'
import type { Account } from './adapter.ts'

/** What a scenario changes of the smallest body: values by their dotted path; undefined takes a field away. */
export type Changes = Readonly<Record<string, unknown>>

/** A body after its changes. Objects on the way that are missing are made. */
export function withChanges(body: LeadSubmission, changes: Changes): LeadSubmission {
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    // biome-ignore lint/suspicious/noExplicitAny: a scenario may set what no type allows.
    const place = names.reduce((object: any, name) => {
      object[name] ??= {}
      return object[name]
    }, body)
    if (value === undefined) delete place[last]
    else place[last] = structuredClone(value)
  }
  return body
}

/** A smallest valid body for the active product of an account. */
export function submissionOf({ publisher, products }: Account, email: string): LeadSubmission {
  return {
    product_id: products.find(({ active }) => active)?.product_id ?? '',
    publisher_id: publisher.publisher_id,
    customer: {
      personal_data: { first_name: 'Ana', last_name: 'Prueba' },
      contact: { email: { address: email } },
    },
    product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
    consents: { entries: [consent('terms'), consent('privacy_policy')] },
  }
}

/** An accepted consent, or a declined one. */
export function consent(type: string, accepted = true) {
  return { type, accepted, accepted_at: accepted ? '2026-01-31T09:30:00Z' : null, version: '1' }
}

/** Consent metadata from an address that no product takes for fraud. */
export const metadata = { ip_address: '203.0.113.7', collected_at: '2026-01-31T09:30:00Z' }
