import { advertiserCriteria, defaultsOf, type PublishedAccount, productCriteria } from '../index.ts'

/** The ids of the accounts in these tests. */
export const ids = {
  publisher: 'b1a6d9f0-7e42-4d6b-8a5c-0c9e4f3d2b17',
  active: '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
  inactive: '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c12',
}

/** An active product with these criteria, and a sandbox's defaults for the rest. */
export function productWith(
  criteria: Partial<PublishedAccount['products'][number]['criteria']>,
): PublishedAccount['products'][number] {
  return {
    product_id: ids.active,
    active: true,
    criteria: { ...defaultsOf(productCriteria), ...criteria },
  }
}

/** An advertiser with these criteria. By default, it accepts up to 50000 euros. */
export function advertiserWith(
  criteria: Partial<PublishedAccount['advertisers'][number]['criteria']> = {},
): PublishedAccount['advertisers'][number] {
  return {
    criteria: { ...defaultsOf(advertiserCriteria), ...criteria },
  }
}

/** An account with these parts, and a sandbox's defaults for the rest. */
export function accountWith(parts: Partial<PublishedAccount> = {}): PublishedAccount {
  return {
    publisher: { publisher_id: ids.publisher },
    products: [productWith({}), { ...productWith({}), product_id: ids.inactive, active: false }],
    advertisers: [advertiserWith()],
    blacklist: [{ identification_number: 'X1' }],
    ...parts,
  }
}
