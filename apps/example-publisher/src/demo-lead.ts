import type { LeadSubmission } from '@lead-distribution/publisher-sdk'
import type { SandboxServer } from '@lead-distribution/sandbox'

/** A usual lead of the account, always of the same customer. */
export function demoLead({ products, publisher }: ReturnType<SandboxServer['account']>): LeadSubmission {
  const product_id = products.find(({ active }) => active)?.product_id ?? ''
  const accepted_at = '2026-01-31T09:30:00Z'
  return {
    product_id,
    publisher_id: publisher.publisher_id,
    customer: {
      personal_data: { first_name: 'Ana', last_name: 'Prueba', birthday: '1988-04-12', gender: 'female' },
      contact: { email: { address: 'ana@example.com' } },
      profile: { occupation: 'indefinite_employee', monthly_income: 1900 },
    },
    product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
    consents: {
      entries: [
        { type: 'terms', accepted: true, accepted_at, version: '2026-01' },
        { type: 'privacy_policy', accepted: true, accepted_at, version: '2026-01' },
      ],
      metadata: { ip_address: '203.0.113.7', collected_at: accepted_at },
    },
  }
}
