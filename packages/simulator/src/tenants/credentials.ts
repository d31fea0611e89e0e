import { sandboxKeyPrefix } from '@lead-distribution/contract'
import { deriveFrom } from '../chance/derive.ts'
import { asUuid } from '../chance/seeded-uuid.ts'

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
