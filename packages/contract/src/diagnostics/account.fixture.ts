import type { AccountIds } from './near-misses.ts'

/** An account: a publisher, two advertisers, an active and an inactive product. */
export const account = {
  publisher: { publisher_id: 'b1a6d9f0-7e42-4d6b-8a5c-0c9e4f3d2b17' },
  products: [
    { product_id: '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11', name: 'Personal loan', active: true },
    { product_id: 'c98e04a7-1b3d-4f60-a2c5-77d1e0b9f3a4', name: 'Discontinued loan', active: false },
  ],
  advertisers: [
    { advertiser_id: '0d5c7a3e-9f18-4b26-8e64-1a2b3c4d5e6f', name: 'Aurora Credit' },
    { advertiser_id: '6e1f20b8-3c4d-4a59-b7f6-9081726354ab', name: 'Boreal Loans' },
  ],
} satisfies AccountIds

/** A minimal lead for the account, with these fields added. */
export function leadWith(more: object = {}): Record<string, unknown> {
  const consent = (type: string) => ({ type, accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '1' })
  return {
    product_id: account.products[0]?.product_id,
    publisher_id: account.publisher.publisher_id,
    customer: {
      personal_data: { first_name: 'Ana', last_name: 'Prueba' },
      contact: { email: { address: 'ana@example.com' } },
    },
    product_data: { loan_amount: 5000, loan_purpose: 'wedding', loan_term_months: 24 },
    consents: { entries: [consent('terms'), consent('privacy_policy')] },
    ...more,
  }
}
