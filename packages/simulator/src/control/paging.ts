import type { Storage } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { maxPageBytes } from '../bounds.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'

/** The default number of entries per page. */
const defaultLimit = 50

/** The number of entries to read at a time. Small batches avoid reading many large entries past the end of a full page. */
const batch = 64

interface PagedList<Found, Entry> {
  /** The maximum number of entries on the page. Default: 50. */
  readonly limit?: number | undefined
  /** The id of the last entry on the previous page. */
  readonly before?: string | undefined
  read(page: { before: string | undefined; limit: number }): Promise<readonly Found[]>
  show(found: Found): Entry
  idOf(found: Found): string
}

/**
 * Reads a page of a list, up to its limit or {@link maxPageBytes}. Pass `next`, if present, as `before` to get the next
 * page.
 */
export async function readPage<Found, Entry>(
  list: PagedList<Found, Entry>,
): Promise<{ entries: Entry[]; next?: string }> {
  const { limit = defaultLimit, read, show, idOf } = list
  const entries: Entry[] = []
  let bytes = 0
  let last = list.before
  for (;;) {
    const wanted = Math.min(batch, limit - entries.length + 1)
    const found = await read({ before: last, limit: wanted })
    for (const each of found) {
      const entry = show(each)
      bytes += utf8.encode(JSON.stringify(entry)).byteLength
      if (entries.length > 0 && (entries.length === limit || bytes > maxPageBytes))
        return last === undefined ? { entries } : { entries, next: last }
      entries.push(entry)
      last = idOf(each)
    }
    if (found.length < wanted) return { entries }
  }
}

const utf8 = new TextEncoder()

/** The value of `include` that adds the customer's e-mail address to the entries of a list. */
export const includesEmail = z.optional(z.enum(['email']))

/** Adds the customer's e-mail address to entries that belong to a lead, or for which `emailOf` returns one. */
export async function withEmails<Entry extends { readonly lead_id?: string | undefined }>(
  storage: Storage<SandboxTables>,
  entries: readonly Entry[],
  emailOf: (entry: Entry) => string | undefined = () => undefined,
): Promise<(Entry & { email?: string })[]> {
  const ids = [...new Set(entries.flatMap(({ lead_id }) => lead_id ?? []))]
  const emails = await storage.read(async tables => {
    const leads = await Promise.all(ids.map(id => tables.findLead(id)))
    return new Map(leads.flatMap(lead => (lead ? [[lead.lead_id, lead.email] as const] : [])))
  })
  return entries.map(entry => {
    const email = emails.get(entry.lead_id ?? '') ?? emailOf(entry)
    return email === undefined ? entry : { ...entry, email }
  })
}
