import type { Account } from '@lead-distribution/engine'
import type { SandboxCallback, SyntheticCallback } from '../storage/records.ts'

/** A well-formed secret that no tenant has. */
const foreignSecret = `whsec_${btoa('not the secret of any tenant....')}`

/** Returns the URL of a synthetic callback: the parameters of its query that it edits are others. */
export function editUrl(url: string, { edit }: SyntheticCallback): string {
  const edits = Object.entries(edit ?? {})
  // Unedited, it is the same to the byte.
  if (edits.length === 0) return url
  const edited = new URL(url)
  for (const [name, value] of edits) edited.searchParams.set(name, value)
  return edited.href
}

/** Returns the account and the callback by which a synthetic one is sent: once, and as the recorded one that it copies. */
export function asCopied(
  account: Account,
  callback: SandboxCallback,
  { copy_of = callback.callback_id, bad_signature }: SyntheticCallback,
): { account: Account; callback: SandboxCallback } {
  const { publisher, settings } = account
  const callback_secret = bad_signature ? foreignSecret : publisher.callback_secret
  return {
    account: {
      ...account,
      publisher: { ...publisher, callback_secret },
      settings: { ...settings, callback_retries: [] },
    },
    callback: { ...callback, callback_id: copy_of },
  }
}
