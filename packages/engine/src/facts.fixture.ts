import {
  type Account,
  type Advertiser,
  advertiserCriteria,
  defaultsOf,
  type LeadSubmission,
  type Product,
  type ProductCriteria,
  productCriteria,
  type SettingsChange,
} from '@lead-distribution/contract'
import { type Lead, profiles } from '@lead-distribution/contract/shapes'
import type { Facts } from './rules/rule.ts'
import { createLeadReader } from './submit-lead.ts'

/** Noon of an ordinary day, UTC. */
export const noon = Date.UTC(2026, 5, 15, 12)

/** A minimal body with the shape of a lead. */
export function submission(): LeadSubmission {
  const consent = (type: string) => ({ type, accepted: true, accepted_at: '2026-06-15T09:30:00Z', version: '1' })
  return {
    product_id: '20000000-0000-4000-8000-00000000000a',
    publisher_id: '10000000-0000-4000-8000-00000000000b',
    customer: {
      personal_data: { first_name: 'Ana', last_name: 'Prueba' },
      contact: { email: { address: 'ana@example.com' } },
    },
    product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
    consents: { entries: [consent('terms'), consent('privacy_policy')] },
  }
}

const readLead = createLeadReader()

/** A lead as the engine sees it, after changes to the minimal body. */
export function leadWith(change: (body: LeadSubmission) => void): Lead {
  const body = submission()
  change(body)
  const read = readLead(body, profiles.prose)
  if (!read.lead) throw new Error(`The test body is not a lead: ${JSON.stringify(read.issues)}`)
  return read.lead
}

/** A product with criteria that the minimal lead meets. */
export function productWith(criteria: Partial<ProductCriteria> = {}): Product {
  return {
    product_id: submission().product_id,
    name: 'Personal loan',
    active: true,
    criteria: {
      ...defaultsOf(productCriteria),
      loan_amount: { min: 1000, max: 20_000 },
      loan_term_months: { min: 6, max: 60 },
      ...criteria,
    },
  }
}

/** An advertiser. Its number determines its id and its priority. */
export function advertiser(number: number): Advertiser {
  return {
    advertiser_id: `30000000-0000-4000-8000-00000000000${number}`,
    name: `Advertiser ${number}`,
    priority: number,
    api_key: `sandbox_adv_${number}_0000000000000000`,
    postback_secret: `secret ${number}`,
    criteria: { ...defaultsOf(advertiserCriteria), loan_amount: { min: 500, max: 75_000 } },
  }
}

/** An account with one product. */
export function accountWith(settings: SettingsChange = {}, more: Partial<Account> = {}): Account {
  return {
    publisher: {
      publisher_id: submission().publisher_id,
      api_key: 'sandbox_pub_1_0000000000000000',
      callback_url: 'http://127.0.0.1:3000/callbacks?source=loans',
      callback_secret: `whsec_${btoa('0123456789abcdef0123456789abcdef')}`,
    },
    advertisers: [],
    products: [productWith()],
    blacklist: [],
    settings: { ...profiles.prose, ...settings } as Account['settings'],
    ...more,
  }
}

/** Facts about a lead that pass every rule; `more` changes them to fail one. */
export function factsOf(more: Partial<Facts> = {}): Facts {
  return {
    lead: leadWith(() => undefined),
    account: accountWith(),
    product: productWith(),
    customer: undefined,
    now: noon,
    ...more,
  }
}
