import type { LeadSubmission } from '@lead-distribution/contract'

/** The smallest lead that is valid under the `prose` interpretation. */
export function sampleLead(): LeadSubmission {
  const accepted = { accepted: true, accepted_at: '2026-01-01T09:30:00Z', version: '1' }
  return {
    product_id: '11111111-1111-4111-8111-111111111111',
    publisher_id: '22222222-2222-4222-8222-222222222222',
    customer: {
      personal_data: { first_name: 'Ana', last_name: 'García' },
      contact: { email: { address: 'ana@example.com' } },
    },
    product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
    consents: {
      entries: [
        { type: 'terms', ...accepted },
        { type: 'privacy_policy', ...accepted },
      ],
    },
  }
}
