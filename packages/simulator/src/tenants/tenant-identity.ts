import { sandboxKeyPrefix } from '@lead-distribution/contract'
import { asUuid, deriveFrom } from '../random/seeded-random.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'

// A tenant's ids, keys and secrets, derived from its seed or chosen by its operator. Resets and snapshots don't change
// them.

/** The source of a tenant's ids, keys and secrets. */
type CredentialSeed = Pick<TenantRecord, 'tenant' | 'seed'>

const hexOf = async ({ tenant, seed }: CredentialSeed, label: string) =>
  (await deriveFrom(`${seed}/${tenant}`)).hex(label)

/** Derives a UUID from a tenant's seed and a label. */
export async function createId(seed: CredentialSeed, label: string): Promise<string> {
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

export function secretsOf({ publisher, advertisers }: Pick<TenantRecord, 'publisher' | 'advertisers'>): string[] {
  return [publisher, ...advertisers].flatMap(party => [
    party.api_key,
    'callback_secret' in party ? party.callback_secret : party.postback_secret,
  ])
}

/** Derives a publisher's key and secret. */
export async function createPublisherCredentials(seed: CredentialSeed) {
  return {
    api_key: await createApiKey(seed, 'pub', 'publisher'),
    callback_secret: `whsec_${btoa(await createSecret(seed, 'callback'))}`,
  }
}

/** Derives an advertiser's key and secret from a label, which is the id of an advertiser added later. */
export async function createAdvertiserCredentials(seed: CredentialSeed, label: string) {
  return {
    api_key: await createApiKey(seed, 'adv', `advertiser ${label}`),
    postback_secret: await createSecret(seed, `postback ${label}`),
  }
}

export interface KeyHolder {
  readonly tenant: string
  readonly scope: 'publisher' | 'advertiser'
  readonly advertiser_id?: string
}

/** Returns the fields that resets and restores keep, so that a snapshot doesn't bring back a revoked token. */
function administrationOf(record: TenantRecord) {
  const { expires_at, tokens, callback_hosts, listener, credentials } = record
  return { expires_at, tokens, callback_hosts, listener, credentials }
}

/** Copies the operator's decisions, including chosen keys and secrets, to a recreated record. */
export function withOperatorDecisions(record: TenantRecord, before: TenantRecord): TenantRecord {
  return withCredentials({ ...record, ...administrationOf(before) })
}

/** Applies a tenant's chosen keys and secrets. */
export function withCredentials(record: TenantRecord): TenantRecord {
  const { publisher, advertisers = [] } = record.credentials ?? {}
  return {
    ...record,
    publisher: { ...record.publisher, ...defined(publisher ?? {}) },
    advertisers: record.advertisers.map(advertiser => ({
      ...advertiser,
      ...defined(advertisers.find(chosen => chosen.advertiser_id === advertiser.advertiser_id) ?? {}),
      advertiser_id: advertiser.advertiser_id,
    })),
  }
}

/** Returns all but the last part of `sandbox_pub_<public>_<secret>`. Unique, because it identifies the key. */
export function publicPart(apiKey: string): string {
  return apiKey.slice(0, apiKey.lastIndexOf('_'))
}

/** Removes undefined fields. */
export function defined<T extends object>(value: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as never
}
