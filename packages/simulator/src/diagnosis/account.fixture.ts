import { type Account, resolveSettings, type SettingsOverrides } from '@lead-distribution/engine'
import { createTenant } from '../tenants/create-tenant.ts'

/** The account of a new tenant: a publisher, three advertisers, a product that takes leads and one that does not. */
export async function accountOfNewTenant(settings: SettingsOverrides = {}): Promise<Account> {
  const record = await createTenant({ tenant: 'qa', seed: '1', created_at: 0, settings })
  const { publisher, advertisers, products, blacklist } = record
  const callback_url = 'http://127.0.0.1:1/callbacks'
  return {
    publisher: { ...publisher, callback_url },
    advertisers,
    products,
    blacklist,
    settings: resolveSettings(settings),
  }
}

/** A smallest lead that the account takes, and what a test changes of it, block by block. */
export function leadFor({ products, publisher }: Account, more: object = {}): Record<string, unknown> {
  const consent = (type: string) => ({ type, accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '1' })
  return {
    product_id: products[0]?.product_id,
    publisher_id: publisher.publisher_id,
    customer: {
      personal_data: { first_name: 'Ana', last_name: 'Prueba' },
      contact: { email: { address: 'ana@example.com' } },
    },
    product_data: { loan_amount: 5000, loan_purpose: 'wedding', loan_term_months: 24 },
    consents: { entries: [consent('terms'), consent('privacy_policy')] },
    ...more,
  }
}
