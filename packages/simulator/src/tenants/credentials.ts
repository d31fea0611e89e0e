import { equalText, sandboxKeyPrefix } from '@lead-distribution/contract'
import { asUuid } from '../random/seeded-ids.ts'
import { deriveFrom } from '../random/seeded-random.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'

/** What a tenant's ids, keys and secrets are derived from. */
export interface CredentialSeed {
  readonly tenant: string
  readonly seed: string
}

const hexOf = async ({ tenant, seed }: CredentialSeed, label: string) =>
  (await deriveFrom(`${seed}/${tenant}`)).hex(label)

/** The id that a tenant's seed gives for a label, a UUID. */
export async function createId(seed: CredentialSeed, label: string): Promise<string> {
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
