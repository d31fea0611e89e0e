import { advertiserCriteria, defaultsOf, productCriteria } from '@lead-distribution/contract'
import type { TenantRecord } from '../storage/tenant-record.ts'
import { initialAdvertisers, initialBlacklist, initialProducts } from './initial-account.ts'
import {
  createAdvertiserCredentials,
  createId,
  createPublisherCredentials,
  withOperatorDecisions,
} from './tenant-identity.ts'

/** Creates a tenant. The same seed and name give the same ids, keys and secrets. */
export async function createTenant({
  tenant,
  seed,
  created_at,
  ...created_from
}: Pick<TenantRecord, 'tenant' | 'seed' | 'created_at'> & TenantRecord['created_from']): Promise<TenantRecord> {
  const { settings, callback_url } = created_from
  const from = { tenant, seed }
  const publisher = {
    publisher_id: await createId(from, 'publisher'),
    callback_url,
    ...(await createPublisherCredentials(from)),
  }
  const usual = initialAdvertisers.map(async ({ label, name, criteria }, index) => ({
    advertiser_id: await createId(from, `advertiser ${label}`),
    name,
    priority: index + 1,
    ...(await createAdvertiserCredentials(from, label)),
    criteria: structuredClone({ ...defaultsOf(advertiserCriteria), ...criteria }),
  }))
  const others = (created_from.advertisers ?? []).map(async advertiser => ({
    ...structuredClone(advertiser),
    ...(await createAdvertiserCredentials(from, advertiser.advertiser_id)),
  }))
  const advertisers = await Promise.all([...usual, ...others])
  const products = await Promise.all(
    initialProducts.map(async ({ label, name, active }) => ({
      product_id: await createId(from, `product ${label}`),
      name,
      active,
      criteria: defaultsOf(productCriteria),
    })),
  )
  const blacklist = structuredClone([...initialBlacklist])
  return { tenant, seed, created_at, publisher, advertisers, products, blacklist, settings, created_from }
}

/** Returns a tenant's record at creation, with its current callback URL, keys and secrets. */
export async function resetRecord(record: TenantRecord): Promise<TenantRecord> {
  const { tenant, seed, created_at, created_from, publisher } = record
  // The documented ids belong to the demo tenant's fixed seed. On a shared host, its seed is random.
  const hasDocumentedIds = tenant === demoName && seed === demoName
  const reset = hasDocumentedIds
    ? await createDemoTenant(created_at, created_from)
    : await createTenant({ tenant, seed, created_at, ...created_from })
  const { callback_url } = publisher
  return withOperatorDecisions({ ...reset, publisher: { ...reset.publisher, callback_url } }, record)
}

/** The name of the tenant that always exists. */
export const demoName = 'demo'

/** The demo tenant's fixed, documented ids and keys. They only work on a developer's own machine. */
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

/** Creates the demo tenant with its fixed ids and keys. */
export async function createDemoTenant(
  created_at: number,
  created_from: TenantRecord['created_from'],
): Promise<TenantRecord> {
  const record = await createTenant({ tenant: demoName, seed: demoName, created_at, ...created_from })
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
