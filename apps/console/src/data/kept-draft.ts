import type { Account } from '@lead-distribution/control-client'
import type { Draft } from './draft.ts'
import { parsedJson } from './json.ts'
import { keep, readKept } from './kept-item.ts'
import type { Submission } from './submission.ts'

/** The submission in Submit, kept in this tab across views and reloads. */
export interface KeptDraft {
  /** The choice that it started from; empty for a request that was sent before. */
  readonly chosen: string
  readonly draft: Draft
  /** The result, if the draft was sent unchanged. */
  readonly submission?: Submission | undefined
}

/** Names a tenant's draft, also by its publisher, because another tenant may have the same name later. */
const nameOf = ({ tenant, publisher }: Account) => `lead-sandbox.draft.${tenant}.${publisher.publisher_id}`

/** Returns a tenant's draft. Undefined if there is none, or if another version of the page wrote it. */
export function keptDraft(account: Account): KeptDraft | undefined {
  const kept = parsedJson(readKept('sessionStorage', nameOf(account)) ?? '') as Partial<KeptDraft> | null | undefined
  const { before, headers, body } = Object(kept?.draft) as Partial<Draft>
  const isDraft = Array.isArray(before) && typeof headers === 'object' && typeof body === 'string'
  return isDraft && typeof kept?.chosen === 'string' ? (kept as KeptDraft) : undefined
}

/** Stores a tenant's draft. If the browser denies storage, keeps it until the page closes. */
export function keepDraft(account: Account, kept: KeptDraft): void {
  keep('sessionStorage', nameOf(account), JSON.stringify(kept))
}
