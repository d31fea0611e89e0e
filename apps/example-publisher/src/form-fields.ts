import {
  genders,
  loanAmountBounds,
  loanPurposes,
  loanTermBounds,
  occupationTypes,
} from '@lead-distribution/publisher-sdk'

/** A field of the form, and the field of the lead that it fills. Issues name the latter. */
export interface FormField {
  name: string
  label: string
  /** Dotted path in the lead. */
  path: string
  /** The values to choose from, or the type of the input. */
  input: readonly string[] | 'text' | 'email' | 'tel' | 'date' | 'number'
  autocomplete?: string
  bounds?: { min: number; max?: number }
  unit?: string
  optional?: true
}

export const formFields: Record<'The loan' | 'About you', readonly FormField[]> = {
  'The loan': [
    {
      name: 'loan_amount',
      label: 'Amount',
      unit: 'euros',
      path: 'product_data.loan_amount',
      input: 'number',
      bounds: loanAmountBounds,
    },
    {
      name: 'loan_term_months',
      label: 'Term',
      unit: 'months',
      path: 'product_data.loan_term_months',
      input: 'number',
      bounds: loanTermBounds,
    },
    { name: 'loan_purpose', label: 'Purpose', path: 'product_data.loan_purpose', input: loanPurposes },
  ],
  'About you': [
    {
      name: 'first_name',
      label: 'First name',
      path: 'customer.personal_data.first_name',
      input: 'text',
      autocomplete: 'given-name',
    },
    {
      name: 'last_name',
      label: 'Last name',
      path: 'customer.personal_data.last_name',
      input: 'text',
      autocomplete: 'family-name',
    },
    { name: 'email', label: 'E-mail', path: 'customer.contact.email.address', input: 'email', autocomplete: 'email' },
    {
      name: 'phone',
      label: 'Phone',
      path: 'customer.contact.phone.number',
      input: 'tel',
      autocomplete: 'tel-national',
      optional: true,
    },
    {
      name: 'birthday',
      label: 'Birthday',
      path: 'customer.personal_data.birthday',
      input: 'date',
      autocomplete: 'bday',
      optional: true,
    },
    { name: 'gender', label: 'Gender', path: 'customer.personal_data.gender', input: genders },
    { name: 'occupation', label: 'Occupation', path: 'customer.profile.occupation', input: occupationTypes },
    {
      name: 'monthly_income',
      label: 'Net income a month',
      unit: 'euros',
      path: 'customer.profile.monthly_income',
      input: 'number',
      bounds: { min: 0 },
    },
  ],
}

/** The consents that the form asks for, each with its exact document. */
export const consentDocuments = {
  terms: { version: '2026-01', path: '/documents/terms-2026-01', text: 'I accept the', link: 'terms of use' },
  privacy_policy: {
    version: '2026-01',
    path: '/documents/privacy-2026-01',
    text: 'I have read and accept the',
    link: 'privacy policy',
  },
  marketing: {
    version: '2025-09',
    path: '/documents/marketing-2025-09',
    text: 'I would like to hear of offers, as the',
    link: 'notice on marketing says (optional)',
  },
} as const
