import { createTenant } from './create-tenant.ts'
import type { TenantRecord } from './tenant-record.ts'
import type { TenantSettingsOverrides } from './tenant-settings.ts'

/** The name of the tenant that always exists. */
export const demoName = 'demo'

/** The fixed, documented ids and keys of the demo tenant. They open nothing but a sandbox on somebody's own machine. */
export const demoAccount = {
  publisher_id: '10000000-0000-4000-8000-000000000001',
  publisher_key: 'sandbox_pub_demo_0000000000000000',
  active_product_id: '20000000-0000-4000-8000-000000000001',
  inactive_product_id: '20000000-0000-4000-8000-000000000002',
  advertisers: [1, 2, 3].map(number => ({
    advertiser_id: `30000000-0000-4000-8000-00000000000${number}`,
    api_key: `sandbox_adv_demo${number}_0000000000000000`,
    postback_secret: `demo-postback-secret-${number}`,
  })),
} as const

/** The demo tenant with its fixed ids and keys. */
export async function createDemoTenant(created_at: number, settings: TenantSettingsOverrides): Promise<TenantRecord> {
  const made = await createTenant({ tenant: demoName, seed: demoName, created_at, settings })
  const { publisher_id, publisher_key, active_product_id, inactive_product_id, advertisers } = demoAccount
  return {
    ...made,
    publisher: { ...made.publisher, publisher_id, api_key: publisher_key },
    products: made.products.map(product => ({
      ...product,
      product_id: product.active ? active_product_id : inactive_product_id,
    })),
    advertisers: made.advertisers.map((advertiser, index) => ({ ...advertiser, ...advertisers[index] })),
  }
}
