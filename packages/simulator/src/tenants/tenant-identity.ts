import { sandboxKeyPrefix } from '@lead-distribution/contract'
import { asUuid, deriveFrom } from '../random/seeded-random.ts'
import type {
  AdvertiserCredentials,
  PublisherCredentials,
  TenantAdministration,
  TenantRecord,
} from '../storage/tenant-record.ts'

// The ids, keys and secrets of a tenant: derived from its seed, or chosen by its operator. No reset and no snapshot changes them.

/** The source of a tenant's ids, keys and secrets. */
export interface CredentialSeed {
  readonly tenant: string
  readonly seed: string
}

const hexOf = async ({ tenant, seed }: CredentialSeed, label: string) =>
  (await deriveFrom(`${seed}/${tenant}`)).hex(label)

/** Derives an id, a UUID, from a tenant's seed and a label. */
export async function createId(seed: CredentialSeed, label: string): Promise<string> {
  return asUuid(await hexOf(seed, `id ${label}`))
}

/** Derives a secret of 32 hexadecimal digits from a tenant's seed and a label. */
async function createSecret(seed: CredentialSeed, label: string): Promise<string> {
  return (await hexOf(seed, `secret ${label}`)).slice(0, 32)
}

/** The scope of an API key, as the key itself says. */
type KeyScope = 'pub' | 'adv'

/** Derives an API key, `sandbox_<scope>_<public part>_<secret part>`, from a tenant's seed and a label. */
async function createApiKey(seed: CredentialSeed, scope: KeyScope, label: string): Promise<string> {
  const hex = await hexOf(seed, `key ${label}`)
  return `${sandboxKeyPrefix}${scope}_${hex.slice(0, 12)}_${hex.slice(12, 44)}`
}

export function secretsOf({ publisher, advertisers }: Pick<TenantRecord, 'publisher' | 'advertisers'>): string[] {
  return [publisher, ...advertisers].flatMap(party => [
    party.api_key,
    'callback_secret' in party ? party.callback_secret : party.postback_secret,
  ])
}

/** Derives the key and the secret of a publisher. */
export async function createPublisherCredentials(seed: CredentialSeed): Promise<PublisherCredentials> {
  return {
    api_key: await createApiKey(seed, 'pub', 'publisher'),
    callback_secret: `whsec_${btoa(await createSecret(seed, 'callback'))}`,
  }
}

/** Derives the key and the secret of an advertiser from a label: its id, if it was added to a tenant. */
export async function createAdvertiserCredentials(seed: CredentialSeed, label: string): Promise<AdvertiserCredentials> {
  return {
    api_key: await createApiKey(seed, 'adv', `advertiser ${label}`),
    postback_secret: await createSecret(seed, `postback ${label}`),
  }
}

/** The form of an API key that an operator may choose. Derived keys have it too. */
export function apiKeyForm(scope: KeyScope): { readonly pattern: RegExp; readonly issue: string } {
  const prefix = `${sandboxKeyPrefix}${scope}_`
  return {
    pattern: new RegExp(`^${prefix}[A-Za-z0-9-]{1,64}_[A-Za-z0-9]{16,64}$`),
    issue: `must be ${prefix}NAME_SECRET: the name 1 to 64 letters, digits and hyphens, the secret 16 to 64 letters and digits`,
  }
}

export interface KeyHolder {
  readonly tenant: string
  readonly scope: 'publisher' | 'advertiser'
  readonly advertiser_id?: string
}

/** The part that resets and restores keep, so that a revoked token does not come back with a snapshot. */
function administrationOf(record: TenantRecord): TenantAdministration {
  const { expires_at, tokens, callback_hosts, listener, credentials } = record
  return { expires_at, tokens, callback_hosts, listener, credentials }
}

/** Gives the record of a tenant that was made again what its operator had decided, the chosen keys and secrets included. */
export function administeredAs(record: TenantRecord, before: TenantRecord): TenantRecord {
  return withCredentials({ ...record, ...administrationOf(before) })
}

/** Gives a tenant the keys and secrets that were chosen for it. */
export function withCredentials(record: TenantRecord): TenantRecord {
  const { publisher, advertisers = [] } = record.credentials ?? {}
  return {
    ...record,
    publisher: { ...record.publisher, ...publisher },
    advertisers: record.advertisers.map(advertiser => ({
      ...advertiser,
      ...advertisers.find(chosen => chosen.advertiser_id === advertiser.advertiser_id),
      advertiser_id: advertiser.advertiser_id,
    })),
  }
}

/** Returns all but the last part of `sandbox_pub_<public>_<secret>`: keys are found by it, so no two keys share it. */
export function publicPart(apiKey: string): string {
  return apiKey.slice(0, apiKey.lastIndexOf('_'))
}
