import type { ConsentEntry } from '../lead/consents.ts'
import type { LeadSubmission } from '../lead/lead-submission.ts'
import { documentationAddresses } from './ip-ranges.ts'
import { usualLoan } from './loan.ts'

/** What an ordinary lead is made of. */
export interface OrdinaryLead {
  readonly product_id: string
  readonly publisher_id: string
  /** The customer's e-mail address. */
  readonly email: string
  /** When the consents were given. */
  readonly at: Date
}

/**
 * The smallest lead that has the shape of every reading of the specification: the formal schema asks for a gender and
 * for consent metadata, the prose for neither.
 */
export function ordinaryLead({ email, at, ...ids }: OrdinaryLead): LeadSubmission {
  const collected_at = at.toISOString()
  return {
    ...ids,
    customer: {
      personal_data: { first_name: 'Ana', last_name: 'Prueba', gender: 'female' },
      contact: { email: { address: email } },
    },
    product_data: usualLoan,
    consents: {
      entries: [consent('terms', collected_at), consent('privacy_policy', collected_at)],
      metadata: { ip_address: documentationAddresses[0], collected_at },
    },
  }
}

/** A consent that was accepted at this time, or one that was declined. */
export function consent(type: string, accepted_at: string | null): ConsentEntry {
  return { type, accepted: accepted_at !== null, accepted_at, version: '2026-01' }
}
