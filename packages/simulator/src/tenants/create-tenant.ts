import { equalText, sandboxKeyPrefix } from '@lead-distribution/contract'
import { asUuid, deriveFrom } from '../random/seeded-random.ts'
import type {
  TenantAdministration,
  TenantCreation,
  TenantRecord,
  TenantSettingsOverrides,
} from '../storage/tenant-record.ts'
import { defaultAdvertisers, defaultBlacklist, defaultProductCriteria, defaultProducts } from './tenant-account.ts'

/** What a tenant's ids, keys and secrets are derived from. */
export interface CredentialSeed {
  readonly tenant: string
  readonly seed: string
}

const hexOf = async ({ tenant, seed }: CredentialSeed, label: string) =>
  (await deriveFrom(`${seed}/${tenant}`)).hex(label)

/** The id that a tenant's seed gives for a label, a UUID. */
async function createId(seed: CredentialSeed, label: string): Promise<string> {
  return asUuid(await hexOf(seed, `id ${label}`))
}

/** The secret that a tenant's seed gives for a label: 32 hexadecimal digits. */
export async function createSecret(seed: CredentialSeed, label: string): Promise<string> {
  return (await hexOf(seed, `secret ${label}`)).slice(0, 32)
}

/** The API key that a tenant's seed gives for a label: `sandbox_<scope>_<public part>_<secret part>`. */
export async function createApiKey(seed: CredentialSeed, scope: 'pub' | 'adv', label: string): Promise<string> {
  const hex = await hexOf(seed, `key ${label}`)
  return `${sandboxKeyPrefix}${scope}_${hex.slice(0, 12)}_${hex.slice(12, 44)}`
}

/** Whose an API key is. */
export interface KeyHolder {
  readonly tenant: string
  readonly scope: 'publisher' | 'advertiser'
  /** Only of an advertiser's key. */
  readonly advertiser_id?: string
}

/** Knows every API key that was made here; a key that was not is refused. */
export interface KeyDirectory {
  /** Takes the keys of a tenant in. */
  add(record: TenantRecord): void
  /** Forgets the keys of a tenant. */
  remove(record: TenantRecord): void
  find(apiKey: string): KeyHolder | undefined
}

/** An empty directory. Keys are found by their public part and compared in constant time. */
export function createKeyDirectory(): KeyDirectory {
  const holders = new Map<string, KeyHolder & { readonly apiKey: string }>()
  return {
    add({ tenant, publisher, advertisers }) {
      holders.set(publicPart(publisher.api_key), { tenant, scope: 'publisher', apiKey: publisher.api_key })
      for (const { advertiser_id, api_key } of advertisers)
        holders.set(publicPart(api_key), { tenant, scope: 'advertiser', advertiser_id, apiKey: api_key })
    },
    remove({ publisher, advertisers }) {
      for (const { api_key } of [publisher, ...advertisers]) holders.delete(publicPart(api_key))
    },
    find(apiKey) {
      const holder = holders.get(publicPart(apiKey))
      return holder && equalText(apiKey, holder.apiKey) ? holder : undefined
    },
  }
}

/** All but the last part of `sandbox_pub_<public>_<secret>`. */
function publicPart(apiKey: string): string {
  return apiKey.slice(0, apiKey.lastIndexOf('_'))
}

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

/** What stays of a tenant whatever it is reset or restored to: a revoked token does not come back with a snapshot. */
export function administrationOf({ expires_at, tokens, callback_hosts }: TenantRecord): TenantAdministration {
  return { expires_at, tokens, callback_hosts }
}

/**
 * The record that a tenant was created with: its ids, keys and settings, whatever was changed since. Where its callbacks go is
 * no state of a test, but where its application is: that stays.
 */
export async function resetRecord(record: TenantRecord): Promise<TenantRecord> {
  const { tenant, seed, created_at, made, settings, publisher } = record
  const creation = made ?? { settings }
  // The documented ids are of the demo tenant's own seed; on a shared host it has another one.
  const hasDocumentedIds = tenant === demoName && seed === demoName
  const reset = hasDocumentedIds
    ? await createDemoTenant(created_at, creation.settings)
    : await createTenant({ tenant, seed, created_at, ...creation })
  const { callback_url } = publisher
  return { ...reset, publisher: { ...reset.publisher, callback_url }, ...administrationOf(record) }
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
