import type { ConsentEntry, LeadSubmission } from '@lead-distribution/contract'
import type { Changes, Target } from '../../target.ts'

/** Every object that may be left out, with no more than it needs: changes of its fields go on top. */
export const everyObject: Changes = {
  'customer.contact.phone': { number: '600123456' },
  'customer.address': { country: 'ES' },
  'customer.profile': { occupation: 'indefinite_employee', monthly_income: 5000 },
  'customer.financial_instruments': [{ type: 'bank_account' }],
  'consents.entries.2': accepted('marketing'),
  tracking: { click_id: 'c-1' },
}

/** Every field that a smallest body leaves out. */
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

/** A body that carries every field of the specification, of a customer not seen before. */
export function fullLead(target: Target, changes: Changes = {}): LeadSubmission {
  return target.submission({ ...everyField, ...changes })
}

/** A consent of this type that was given. */
export function accepted(type: string): ConsentEntry {
  return { type, accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '1' }
}

/** A consent of this type that was declined. */
export function declined(type: string): ConsentEntry {
  return { type, accepted: false, accepted_at: null, version: '1' }
}
