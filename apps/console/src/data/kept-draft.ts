import { type Draft, parsedJson } from './draft.ts'
import { createKeptItem, type KeptItem } from './kept-item.ts'
import type { Submission } from './submission.ts'

/** The submission that Submit shows, kept in this tab over views and reloads. */
export interface KeptDraft {
  /** The choice that it was made from; empty for a request that was sent before. */
  readonly chosen: string
  /** The publisher that it was written for: a tenant of the same name may be another one by now. */
  readonly publisher_id: string
  readonly draft: Draft
  /** The result, if the draft was sent as it is. */
  readonly submission?: Submission | undefined
}

const items = new Map<string, KeptItem>()

function itemOf(tenant: string): KeptItem {
  const item = items.get(tenant) ?? createKeptItem('sessionStorage', `lead-sandbox.draft.${tenant}`)
  items.set(tenant, item)
  return item
}

/** Returns the draft of a tenant. Undefined if there is none, or another version of the page has written it. */
export function keptDraft(tenant: string): KeptDraft | undefined {
  const kept = parsedJson(itemOf(tenant).read() ?? '') as Partial<KeptDraft> | null | undefined
  const { before, headers, body } = Object(kept?.draft) as Partial<Draft>
  const isDraft = Array.isArray(before) && typeof headers === 'object' && typeof body === 'string'
  return isDraft && typeof kept?.chosen === 'string' ? (kept as KeptDraft) : undefined
}

/** Keeps the draft of a tenant: until the page is closed if the browser denies storage. */
export function keepDraft(tenant: string, kept: KeptDraft): void {
  itemOf(tenant).write(JSON.stringify(kept))
}
