import type { LeadSubmission } from './lead.ts'

/** A lead that carries every field. */
export const fullLead: LeadSubmission = {
  product_id: '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
  publisher_id: 'b1a6d9f0-7e42-4d6b-8a5c-0c9e4f3d2b17',
  customer: {
    external_id: 'crm-42',
    personal_data: {
      first_name: 'Ana',
      last_name: 'Prueba',
      second_surname: 'Ejemplo',
      birthday: '1990-05-17',
      identification_number: '00000000T',
      nacionality: 'PT',
      gender: 'female',
    },
    contact: {
      email: {
        address: 'ana@example.com',
        status: 'verified',
        verified_at: '2026-01-30T10:00:00Z',
        verification_method: 'link',
        source: 'form',
      },
      phone: {
        area_code: '+351',
        number: '600000000',
        status: 'pending',
        verified_at: '2026-01-30T10:00:00Z',
        verification_method: 'otp',
        source: 'form',
      },
    },
    address: {
      street: 'Calle Mayor',
      house: '1',
      floor: '2',
      apartment: 'B',
      city: 'Madrid',
      region: 'Madrid',
      postal_code: '28013',
      country: 'PT',
    },
    profile: {
      occupation: 'indefinite_employee',
      monthly_income: 1800,
      monthly_expenses: 600,
      marital_status: 'married',
      children: 2,
      education: 'masters',
      housing_tenure: 'rental',
      housing_type: 'apartment',
      company_sector: 'healthcare',
    },
    financial_instruments: [
      { type: 'bank_account', currency: 'USD', iban: 'ES9121000418450200051332', status: 'verified' },
    ],
  },
  product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
  consents: {
    entries: [
      {
        type: 'terms',
        accepted: true,
        accepted_at: '2026-01-31T09:30:00Z',
        version: '3',
        document_url: 'https://example.com/terms/3',
      },
      { type: 'privacy_policy', accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '5' },
    ],
    metadata: { ip_address: '203.0.113.7', user_agent: 'browser', collected_at: '2026-01-31T09:30:00Z' },
  },
  tracking: { click_id: 'c', sub_id: 's', campaign_id: 'k', source: 'https://example.com/loans' },
}

/** A lead with one field, named by its dotted path, changed; `undefined` removes it. */
export function leadWith(path: string, value: unknown, from: unknown = fullLead): unknown {
  const lead = structuredClone(from) as object
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  const parent = keys.reduce((at: object, key) => Reflect.get(at, key), lead)
  if (value === undefined) Reflect.deleteProperty(parent, last)
  else Reflect.set(parent, last, value)
  return lead
}

/** The value at a dotted path. */
export function at(path: string, value: unknown): unknown {
  return path.split('.').reduce((parent, key) => Reflect.get(parent as object, key), value)
}
