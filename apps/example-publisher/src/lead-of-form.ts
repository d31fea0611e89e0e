import {
  createConsents,
  createTracking,
  type LeadSubmission,
  requiredConsents,
  ValidationError,
  validateLead,
} from '@lead-distribution/publisher-sdk'
import { consentDocuments } from './form-fields.ts'

/** The ids that the operator of the service issued for this site (Spec 2.1). */
export interface PublisherIds {
  publisher_id: string
  product_id: string
}

/** The circumstances in which a form was sent, for the record of the consents. */
export interface FormSender {
  /** Scheme and host of the site, as configured. */
  origin: string
  ip: string
  userAgent: string | undefined
}

type Values = Readonly<Record<string, string>>

/**
 * Creates a lead from a form. Empty fields are left out.
 * @throws ValidationError the customer must accept something first; it lists the other issues of the form too.
 */
export function leadOfForm(values: Values, ids: PublisherIds, sender: FormSender): LeadSubmission {
  const application = { ...ids, ...applicationOf(values), tracking: createTracking({ url: values.landing }) }
  const missing = requiredConsents.filter(type => values[type] !== 'accepted')
  if (missing.length === 0) return { ...application, consents: consentsOf(values, sender) }
  const { issues = [] } = validateLead({ ...application, consents: { entries: [] } })
  throw new ValidationError([
    ...issues,
    ...missing.map(type => ({ field: `consents.${type}`, issue: 'must be accepted' })),
  ])
}

function applicationOf(values: Values): Pick<LeadSubmission, 'customer' | 'product_data'> {
  const text = (name: string) => values[name]?.trim() || undefined
  const phone = text('phone')
  const application = {
    customer: {
      personal_data: {
        first_name: text('first_name'),
        last_name: text('last_name'),
        birthday: text('birthday'),
        gender: text('gender'),
      },
      contact: { email: { address: text('email') }, ...(phone && { phone: { number: phone } }) },
      profile: { occupation: text('occupation'), monthly_income: integer(text('monthly_income')) },
    },
    product_data: {
      loan_amount: integer(text('loan_amount')),
      loan_purpose: text('loan_purpose'),
      loan_term_months: integer(text('loan_term_months')),
    },
  }
  // A form holds any text. The client checks it before it sends anything, and lists the issues field by field.
  return application as Pick<LeadSubmission, 'customer' | 'product_data'>
}

/** Converts a whole number; leaves any other text unchanged for the check to find. */
function integer(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text
}

/** Creates the record of the customer's consents: which version of which document, when and from where. */
function consentsOf(values: Values, { origin, ip, userAgent }: FormSender) {
  const { terms, privacy_policy, marketing } = consentDocuments
  const shown = ({ version, path }: { version: string; path: string }) => ({ version, document_url: origin + path })
  return createConsents({
    ip_address: ip,
    user_agent: userAgent,
    entries: {
      terms: { ...shown(terms), accepted: values.terms === 'accepted' },
      privacy_policy: { ...shown(privacy_policy), accepted: values.privacy_policy === 'accepted' },
      marketing: { ...shown(marketing), accepted: values.marketing === 'accepted' },
    },
  })
}
