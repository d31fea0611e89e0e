import { createApiKey, createId, createSecret } from './credentials.ts'
import { defaultAdvertisers } from './default-advertisers.ts'
import { defaultBlacklist } from './default-blacklist.ts'
import { defaultProductCriteria, defaultProducts } from './default-products.ts'
import type { TenantOrder, TenantRecord } from './tenant-record.ts'

/** What a tenant is made from. */
export interface TenantSeed extends TenantOrder {
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
