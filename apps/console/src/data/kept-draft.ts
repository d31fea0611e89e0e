import { type Draft, parsedJson } from './draft.ts'
import { createKeptItem, type KeptItem } from './kept-item.ts'
import type { Submission } from './submission.ts'

/** The submission in Submit, kept in this tab across views and reloads. */
export interface KeptDraft {
  /** The choice that it started from; empty for a request that was sent before. */
  readonly chosen: string
  /** The publisher that it was written for, because another tenant may have the same name by now. */
  readonly publisher_id: string
  readonly draft: Draft
  /** The result, if the draft was sent unchanged. */
  readonly submission?: Submission | undefined
}

const items = new Map<string, KeptItem>()

function itemOf(tenant: string): KeptItem {
  const item = items.get(tenant) ?? createKeptItem('sessionStorage', `lead-sandbox.draft.${tenant}`)
  items.set(tenant, item)
  return item
}

/** Returns a tenant's draft. Undefined if there is none, or if another version of the page wrote it. */
export function keptDraft(tenant: string): KeptDraft | undefined {
  const kept = parsedJson(itemOf(tenant).read() ?? '') as Partial<KeptDraft> | null | undefined
  const { before, headers, body } = Object(kept?.draft) as Partial<Draft>
  const isDraft = Array.isArray(before) && typeof headers === 'object' && typeof body === 'string'
  return isDraft && typeof kept?.chosen === 'string' ? (kept as KeptDraft) : undefined
}

/** Stores a tenant's draft. If the browser denies storage, keeps it until the page closes. */
export function keepDraft(tenant: string, kept: KeptDraft): void {
  itemOf(tenant).write(JSON.stringify(kept))
}
