import type { ConsentEntry, LeadSubmission } from '@lead-distribution/contract'
import type { Changes, Target } from '../../target.ts'

/** An id that no product and no publisher has. */
export const unknownId = '00000000-0000-0000-0000-000000000000'

/** Every optional object with its required fields, as a base for changes to the others. */
export const everyObject: Changes = {
  'customer.contact.phone': { number: '600123456' },
  'customer.address': { country: 'ES' },
  'customer.profile': { occupation: 'indefinite_employee', monthly_income: 5000 },
  'customer.financial_instruments': [{ type: 'bank_account' }],
  'consents.entries.2': accepted('marketing'),
  tracking: { click_id: 'c-1' },
}

const everyField: Changes = {
  ...everyObject,
  'customer.external_id': 'crm-42',
  'customer.personal_data.second_surname': 'Ejemplo',
  'customer.personal_data.birthday': '1990-05-17',
  'customer.personal_data.identification_number': '00000000T',
  'customer.personal_data.nacionality': 'ES',
  'customer.contact.email.status': 'verified',
  'customer.contact.email.verified_at': '2026-01-30T10:00:00Z',
  'customer.contact.email.verification_method': 'link',
  'customer.contact.email.source': 'form',
  'customer.contact.phone': {
    area_code: '+34',
    number: '600123456',
    status: 'pending',
    verified_at: '2026-01-30T10:00:00Z',
    verification_method: 'otp',
    source: 'form',
  },
  'customer.address': {
    street: 'Calle Mayor',
    house: '1',
    floor: '2',
    apartment: 'B',
    city: 'Madrid',
    region: 'Madrid',
    postal_code: '28013',
    country: 'ES',
  },
  'customer.profile': {
    occupation: 'indefinite_employee',
    monthly_income: 5000,
    monthly_expenses: 600,
    marital_status: 'married',
    children: 2,
    education: 'masters',
    housing_tenure: 'rental',
    housing_type: 'apartment',
    company_sector: 'healthcare',
  },
  'customer.financial_instruments': [
    { type: 'bank_account', currency: 'EUR', iban: 'ES9121000418450200051332', status: 'verified' },
  ],
  'consents.entries.2': { ...accepted('marketing'), document_url: 'https://example.com/marketing' },
  'consents.metadata.user_agent': 'browser',
  tracking: { click_id: 'c', sub_id: 's', campaign_id: 'k', source: 'https://example.com/loans' },
}

/** Creates a body with every field of the specification for a new customer. */
export function fullLead(target: Target, changes: Changes = {}): LeadSubmission {
  return target.submission({ ...everyField, ...changes })
}

export function accepted(type: string): ConsentEntry {
  return { type, accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '1' }
}

export function declined(type: string): ConsentEntry {
  return { type, accepted: false, accepted_at: null, version: '1' }
}
