import { equalText, sandboxKeyPrefix, sha256, toHex } from '@lead-distribution/contract'
import type { Entropy } from '../random/seeded-random.ts'
import type { TenantRecord, TokenRecord } from '../storage/tenant-record.ts'

const prefix = `${sandboxKeyPrefix}tok_`

/** `sandbox_tok_<tenant>_<id>_<secret>`. Tenant names contain no underscores. */
const form = new RegExp(`^${prefix}([^_]+)_([0-9a-f]{12})_[0-9a-f]{64}$`)

/** The input of a new token. */
export interface TokenCreation {
  readonly role: TokenRecord['role']
  readonly name?: string | undefined
  /** Milliseconds since 1970, real time. */
  readonly created_at: number
}

/** Creates a tenant token. Resolves to its record and its text, which is shown once. */
export async function createToken(
  tenant: string,
  { role, name, created_at }: TokenCreation,
  entropy: Entropy,
): Promise<{ readonly record: TokenRecord; readonly token: string }> {
  const token_id = toHex(entropy.bytes(6))
  const token = `${prefix}${tenant}_${token_id}_${toHex(entropy.bytes(32))}`
  return { record: { token_id, role, name, hash: await hashOf(token), created_at }, token }
}

/** Returns the tenant named in a token, without checking the token; undefined if the text is not a token. */
export function tenantOfToken(token: string): string | undefined {
  return form.exec(token)?.[1]
}

/** Finds a tenant's token by its text; undefined if it doesn't exist or was revoked. */
export async function findToken({ tokens = [] }: TenantRecord, token: string): Promise<TokenRecord | undefined> {
  const id = form.exec(token)?.[2]
  const hash = await hashOf(token)
  return tokens.find(({ token_id, hash: stored }) => token_id === id && equalText(hash, stored))
}

/** A fast hash on purpose: slow hashes protect secrets that can be guessed, unlike 256 random bits. */
async function hashOf(token: string): Promise<string> {
  return toHex(await sha256(token))
}
