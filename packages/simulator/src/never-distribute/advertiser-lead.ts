import { statusUrl } from '../paths.ts'

/** A lead as an advertiser's application receives it: how to report on it, and nothing of the customer. */
export interface AdvertiserLead {
  readonly lead_id: string
  /** Holds its token: never printed. */
  readonly postback_url: string
  /** The URL of the status update by body (Spec 4.2). */
  readonly status_url: string
  /** Euros. */
  readonly amount: number
  readonly term_months: number
}

/** The names of all fields that an advertiser's application receives. */
export const advertiserLeadFields: readonly string[] = [
  'lead_id',
  'postback_url',
  'status_url',
  'amount',
  'term_months',
] satisfies (keyof AdvertiserLead)[]

export interface AdvertiserLeadParts {
  readonly lead_id: string
  readonly postback_url: string
  readonly base_url: string
  readonly product_data: { readonly loan_amount: number; readonly loan_term_months: number }
}

export function advertiserLead({ lead_id, postback_url, base_url, product_data }: AdvertiserLeadParts): AdvertiserLead {
  const { loan_amount: amount, loan_term_months: term_months } = product_data
  return { lead_id, postback_url, status_url: statusUrl(base_url, lead_id), amount, term_months }
}
