import { sandboxKeyPrefix } from '@lead-distribution/contract'
import { asUuid, deriveFrom } from '../random/seeded-random.ts'
import type {
  AdvertiserRecord,
  TenantAdministration,
  TenantCreation,
  TenantRecord,
  TenantSettingsOverrides,
} from '../storage/tenant-record.ts'
import { defaultAdvertisers, defaultBlacklist, defaultProductCriteria, defaultProducts } from './account.ts'

/** The source of a tenant's ids, keys and secrets. */
export interface CredentialSeed {
  readonly tenant: string
  readonly seed: string
}

const hexOf = async ({ tenant, seed }: CredentialSeed, label: string) =>
  (await deriveFrom(`${seed}/${tenant}`)).hex(label)

/** Derives an id, a UUID, from a tenant's seed and a label. */
async function createId(seed: CredentialSeed, label: string): Promise<string> {
  return asUuid(await hexOf(seed, `id ${label}`))
}

/** Derives a secret of 32 hexadecimal digits from a tenant's seed and a label. */
async function createSecret(seed: CredentialSeed, label: string): Promise<string> {
  return (await hexOf(seed, `secret ${label}`)).slice(0, 32)
}

/** Derives an API key, `sandbox_<scope>_<public part>_<secret part>`, from a tenant's seed and a label. */
async function createApiKey(seed: CredentialSeed, scope: 'pub' | 'adv', label: string): Promise<string> {
  const hex = await hexOf(seed, `key ${label}`)
  return `${sandboxKeyPrefix}${scope}_${hex.slice(0, 12)}_${hex.slice(12, 44)}`
}

/** Derives the key and the secret of an advertiser that is added to a tenant. */
export async function createCredentials(
  seed: CredentialSeed,
  advertiserId: string,
): Promise<Pick<AdvertiserRecord, 'api_key' | 'postback_secret'>> {
  return {
    api_key: await createApiKey(seed, 'adv', `advertiser ${advertiserId}`),
    postback_secret: await createSecret(seed, `postback ${advertiserId}`),
  }
}

/** The input of a new tenant. */
export interface TenantSeed extends TenantCreation {
  tenant: string
  seed: string
  created_at: number
}

/** Creates a tenant. The same seed and name give the same ids, keys and secrets. */
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

/** The part that resets and restores keep, so that a revoked token does not come back with a snapshot. */
export function administrationOf(record: TenantRecord): TenantAdministration {
  const { expires_at, tokens, callback_hosts, listener } = record
  return { expires_at, tokens, callback_hosts, listener }
}

/**
 * Returns the record that a tenant was created with: its ids, keys and settings, whatever was changed since. The callback URL
 * stays: it is the address of an application, not the state of a test.
 */
export async function resetRecord(record: TenantRecord): Promise<TenantRecord> {
  const { tenant, seed, created_at, made, settings, publisher } = record
  const creation = made ?? { settings }
  // The documented ids belong to the demo tenant's own seed. On a shared host it has another seed.
  const hasDocumentedIds = tenant === demoName && seed === demoName
  const reset = hasDocumentedIds
    ? await createDemoTenant(created_at, creation.settings)
    : await createTenant({ tenant, seed, created_at, ...creation })
  const { callback_url } = publisher
  return { ...reset, publisher: { ...reset.publisher, callback_url }, ...administrationOf(record) }
}

/** The name of the tenant that always exists. */
export const demoName = 'demo'

/** The fixed, documented ids and keys of the demo tenant. They open only a sandbox on a developer's machine. */
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
