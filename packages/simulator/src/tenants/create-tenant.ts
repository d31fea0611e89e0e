import type { TenantCreation, TenantRecord, TenantSettingsOverrides } from '../storage/tenant-record.ts'
import { defaultAdvertisers, defaultBlacklist, defaultProductCriteria, defaultProducts } from './account-defaults.ts'
import { createApiKey, createId, createSecret } from './credentials.ts'

/** What a tenant is created from. */
export interface TenantSeed extends TenantCreation {
  tenant: string
  seed: string
  created_at: number
}

/** A new tenant: equal seed and name give equal ids, keys and secrets. */
export async function createTenant({ tenant, seed, created_at, ...made }: TenantSeed): Promise<TenantRecord> {
  const { settings, callback_url } = made
  const from = { tenant, seed }
  const publisher = {
    publisher_id: await createId(from, 'publisher'),
    api_key: await createApiKey(from, 'pub', 'publisher'),
    callback_url,
    callback_secret: `whsec_${btoa(await createSecret(from, 'callback'))}`,
  }
  const advertisers = await Promise.all(
    defaultAdvertisers.map(async ({ label, name, criteria }, index) => ({
      advertiser_id: await createId(from, `advertiser ${label}`),
      name,
      priority: index + 1,
      api_key: await createApiKey(from, 'adv', `advertiser ${label}`),
      postback_secret: await createSecret(from, `postback ${label}`),
      criteria: structuredClone(criteria),
    })),
  )
  const products = await Promise.all(
    defaultProducts.map(async ({ label, name, active }) => ({
      product_id: await createId(from, `product ${label}`),
      name,
      active,
      criteria: structuredClone(defaultProductCriteria),
    })),
  )
  const blacklist = structuredClone([...defaultBlacklist])
  return { tenant, seed, created_at, publisher, advertisers, products, blacklist, settings, made }
}

/** The record that a tenant was created with: its ids, keys and settings, whatever was changed since. */
export async function resetRecord({
  tenant,
  seed,
  created_at,
  made,
  settings,
  publisher,
}: TenantRecord): Promise<TenantRecord> {
  const creation = made ?? { settings, callback_url: publisher.callback_url }
  // The documented ids are of the demo tenant's own seed; on a shared host it has another one.
  if (tenant === demoName && seed === demoName) return createDemoTenant(created_at, creation.settings)
  return createTenant({ tenant, seed, created_at, ...creation })
}

/** The name of the tenant that always exists. */
export const demoName = 'demo'

/** The fixed, documented ids and keys of the demo tenant. They open nothing but a sandbox on a developer's machine. */
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
  const record = await createTenant({ tenant: demoName, seed: demoName, created_at, settings })
  const { publisher_id, publisher_key, active_product_id, inactive_product_id, advertisers } = demoAccount
  return {
    ...record,
    publisher: { ...record.publisher, publisher_id, api_key: publisher_key },
    products: record.products.map(product => ({
      ...product,
      product_id: product.active ? active_product_id : inactive_product_id,
    })),
    advertisers: record.advertisers.map((advertiser, index) => ({ ...advertiser, ...advertisers[index] })),
  }
}
