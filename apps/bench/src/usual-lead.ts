import type { LeadSubmission } from '@lead-distribution/contract'
import { demoAccount } from '@lead-distribution/simulator'

const consent = (type: string) => ({ type, accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '2026-01' })

/** Returns a typical lead with this email address. */
export function usualLead(address: string): LeadSubmission {
  return {
    product_id: demoAccount.active_product_id,
    publisher_id: demoAccount.publisher_id,
    customer: {
      external_id: 'customer-81723',
      personal_data: {
        first_name: 'Ana',
        last_name: 'Prueba',
        birthday: '1988-04-12',
        identification_number: '00000000T',
        gender: 'female',
      },
      contact: { email: { address }, phone: { number: '600000000' } },
      address: { street: 'Calle Mayor', house: '1', city: 'Madrid', postal_code: '28001', country: 'ES' },
      profile: { occupation: 'indefinite_employee', monthly_income: 1900, housing_tenure: 'rental' },
    },
    product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
    consents: {
      entries: [consent('terms'), consent('privacy_policy')],
      metadata: { ip_address: '203.0.113.7', user_agent: 'bench', collected_at: '2026-01-31T09:30:00Z' },
    },
    tracking: { click_id: 'click-1', campaign_id: 'bench', source: 'https://example.com/loans' },
  }
}
