import type { ErrorCode } from '@lead-distribution/contract'
import type { Operation } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { controlBounds, maxPageBytes } from '../paths.ts'
import type { controlErrorStatus } from './control-error.ts'

/** An operation of the control plane; its errors are the service's and those of the control plane. */
export type ControlOperation = Operation<ErrorCode | keyof typeof controlErrorStatus> & {
  /** `admin`: no token of a tenant opens it; `write`: none that only reads, although it changes nothing. */
  readonly needs?: 'admin' | 'write'
}

/** What the operations of the control plane have in common: no credential of the service, and a thing that may not exist. */
export const operationDefaults = { spec: 'sandbox', key: 'none', in: 'none', errors: ['not_found'] } as const

/** The defaults of an operation that takes a body. */
export const withBody = { ...operationDefaults, in: 'body', errors: ['not_found', 'validation_error'] } as const

/** The defaults of an operation that takes query parameters. */
export const withQuery = { ...operationDefaults, in: 'query', errors: ['not_found', 'validation_error'] } as const

/** A whole number within the bounds of its name. */
export function wholeNumber(name: keyof typeof controlBounds) {
  const { min, max } = controlBounds[name]
  return z.int().check(z.gte(min), z.lte(max))
}

/** What another interpretation of an open point would have answered. */
export const portabilityWarning = z.strictObject({
  switch: z.string(),
  interpretation: z.string(),
  other_interpretation: z.string(),
  would: z.string(),
})

/** How many entries of a list come by default. */
const defaultLimit = 50

/** How many entries of a list are read at once: a page that is full of large ones reads no more than that in vain. */
const batch = 64

/** A list of which a page is wanted. */
interface PagedList<Found, Entry> {
  /** How many entries the page has at most. */
  readonly limit?: number | undefined
  /** The id that the page begins after. */
  readonly before?: string | undefined
  /** Reads entries in the order of the list. */
  read(page: { before: string | undefined; limit: number }): Promise<readonly Found[]>
  /** The entry as the control plane shows it. */
  show(found: Found): Entry | Promise<Entry>
  idOf(found: Found): string
}

/**
 * A page of a list: entries up to the limit or to {@link maxPageBytes}, and what `before` takes for the next page where
 * there is one.
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
      const entry = await show(each)
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
