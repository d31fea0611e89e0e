import { dateTimeMs, durationMs, type FieldIssue, maxIssues, validationError } from '@lead-distribution/contract'
import { dateTime, uuid } from '@lead-distribution/contract/shapes'
import { malformedJson, type Refusal } from '@lead-distribution/http'
import * as z from 'zod/mini'
import type { TenantRecord } from '../storage/tenant-record.ts'
import { type accountContent, withIdentityOf } from '../tenants/change-tenant.ts'
import { resetRecord } from '../tenants/create-tenant.ts'
import type { SnapshotContent } from '../tenants/snapshot.ts'
import { earliestTime, latestTime } from '../time/clock.ts'
import { nextTurn } from '../time/locks.ts'
import { type JsonParts, NotJson, type Part, type PartBounds, readJsonParts, UnreadableJson } from './large-json.ts'
import { iso } from './shapes.ts'
import {
  count,
  createReaders,
  type FileOwner,
  type ItemReader,
  type ListName,
  list,
  mebi,
  ownId,
  readItem,
} from './snapshot-lists.ts'
import type { FileShapes } from './stored-shapes.ts'

export const snapshotFormat = 'lead-sandbox-snapshot/1'

interface SnapshotFile extends SnapshotContent {
  /** Milliseconds since 1970, real time. */
  saved_at: number
  record: TenantRecord
}

type ReadFile = { file: SnapshotFile; refused?: never } | { file?: never; refused: Refusal }

/**
 * Reads a file that was sent to a tenant. Checks all of it as strictly as any other input, list by list and in steps, so
 * that other requests continue. The tenant keeps its identity: foreign ids are refused; keys and secrets are the tenant's.
 */
export async function readSnapshotFile(shapes: FileShapes, bytes: Uint8Array, own: FileOwner): Promise<ReadFile> {
  try {
    return await readParts(shapes, bytes, own)
  } catch (error) {
    if (error instanceof NotJson) return { refused: malformedJson(bytes, error) }
    if (!(error instanceof UnreadableJson)) throw error
    const { path, message: issue } = error
    return { refused: validationError([{ field: path.join('.') || 'body', issue }]) }
  }
}

/** Returns true if a file has no more of anything than its reader takes. */
export async function isWithinBounds(file: object, shapes: FileShapes, own: FileOwner): Promise<boolean> {
  try {
    await readFileParts(new TextEncoder().encode(JSON.stringify(file)), createReaders(shapes, own).readers)
    return true
  } catch (error) {
    if (error instanceof UnreadableJson) return false
    throw error
  }
}

function readFileParts(bytes: Uint8Array, readers: Record<ListName, ItemReader>) {
  const object: PartBounds = { items: 50, itemBytes: mebi }
  const bounds = Object.fromEntries(Object.entries(readers).map(([name, { bounds }]) => [name, bounds]))
  return readJsonParts(bytes, { ...bounds, tenant: object, documents: object })
}

async function readParts(shapes: FileShapes, bytes: Uint8Array, own: FileOwner): Promise<ReadFile> {
  const { readers, content } = createReaders(shapes, own)
  const lists = Object.entries(readers) as [ListName, ItemReader][]
  const json = await readFileParts(bytes, readers)
  if (!json) return { refused: validationError([{ field: 'body', issue: 'must be an object' }]) }
  const head = readHead(json, shapes, own, lists)
  if (head.issues.length > 0) return { refused: validationError(head.issues) }
  const { saved_at, tenant, documents } = head.value as FileHead
  const wrong = otherTenant(tenant, own.record) ?? (await wrongParties(tenant, own)) ?? wrongClock(documents, saved_at)
  if (wrong) return { refused: validationError(wrong) }
  const issues = await readLists(json, lists)
  if (issues.length > 0) return { refused: validationError(issues) }
  const record = await withIdentityOf(own.record, tenant)
  return { file: { ...content, documents, record, saved_at: dateTimeMs(saved_at) } }
}

/** Reads everything but the lists, whose presence it checks. */
function readHead({ parts, values }: JsonParts, shapes: FileShapes, own: FileOwner, lists: [ListName, ItemReader][]) {
  const input = { ...values }
  for (const name of ['tenant', 'documents']) {
    const part = parts.get(name)
    if (part?.kind === 'object') input[name] = wholeObject(part)
    else if (part) input[name] = []
  }
  const missing: FieldIssue[] = []
  for (const [name, { kind }] of lists) {
    if (parts.get(name)?.kind !== kind) {
      const isThere = parts.has(name) || Object.hasOwn(input, name)
      missing.push({
        field: name,
        issue: isThere ? `must be an ${kind === 'list' ? 'array' : 'object'}` : 'is required',
      })
    }
    delete input[name]
  }
  const { value, issues } = readItem(headShape(shapes, own), input, '')
  return { value, issues: [...issues, ...missing] }
}

function wholeObject(part: Part): object {
  const members = Array.from({ length: part.length }, (_, index) => Object.entries(part.parse(index) as object))
  return Object.fromEntries(members.flat())
}

/** The number of bytes to read before yielding, and the number that takes as long as checking a small item. */
const [turnBytes, itemBytes] = [65_536, 1_024]

/** Reads the lists in steps. Returns their issues, and stops at more than are listed. */
async function readLists({ parts }: JsonParts, lists: [ListName, ItemReader][]): Promise<FieldIssue[]> {
  const issues: FieldIssue[] = []
  let read = 0
  for (const [name, { kind, shape, take }] of lists) {
    const part = parts.get(name)
    for (let index = 0; part && index < part.length; index++) {
      if (issues.length > maxIssues) return issues
      read += itemBytes + part.bytes(index)
      if (read > turnBytes) {
        await nextTurn()
        read = 0
      }
      const item = part.parse(index)
      const path = kind === 'list' ? `${name}.${index}` : name
      const checked = readItem(shape, item, path)
      issues.push(...checked.issues)
      if (checked.issues.length > 0) continue
      take(checked.value as never, (field, issue) => issues.push({ field: field ? `${path}.${field}` : path, issue }))
    }
  }
  return issues
}

/** Returns the issue of a clock that would show an impossible time. */
function wrongClock({ clock }: FileHead['documents'], saved_at: string): FieldIssue[] | undefined {
  const shown = clock?.mode === 'running' ? dateTimeMs(saved_at) + clock.ahead_ms : earliestTime
  if (shown >= earliestTime && shown <= latestTime) return undefined
  const issue = `must make the clock show a time from ${iso(earliestTime)} to ${iso(latestTime)} at saved_at`
  return [{ field: 'documents.clock.ahead_ms', issue }]
}

/** Returns the account of a tenant for a file: without keys and secrets, which are derived from the seed. */
export function fileAccount(record: TenantRecord) {
  const { tenant, seed, publisher, products, blacklist, settings, callbacks_held } = record
  const { publisher_id, callback_url } = publisher
  const advertisers = record.advertisers.map(({ api_key: _, postback_secret: __, ...advertiser }) => advertiser)
  return {
    tenant,
    seed,
    publisher: { publisher_id, callback_url },
    advertisers,
    products,
    blacklist,
    settings,
    callbacks_held,
  }
}

/** More than can be seen. All are stored in one transaction, and read with every coverage. */
const mostCovered = 1_000

const coverage = z
  .record(z.string().check(z.regex(/^[a-z]{1,20}\/\w{1,100}$/)), count)
  .check(z.refine(counts => Object.keys(counts).length <= mostCovered, `must hold at most ${mostCovered} items`))

/** Returns the shape of everything but the lists. */
function headShape(shapes: FileShapes, { ids, now }: FileOwner) {
  const { accountContent, storedClock, clockTime, inboxMode, storedFaults } = shapes
  const saved_at = dateTime.check(
    z.refine(
      text => dateTimeMs(text) >= 0 && dateTimeMs(text) <= now + durationMs('P1D'),
      'must be a time that exists and is not in the future',
    ),
  )
  const newest = z.strictObject({ lead_id: z.optional(ownId(ids.lead)), callback_id: z.optional(ownId(ids.callback)) })
  return z.strictObject({
    format: z.literal(snapshotFormat),
    saved_at,
    tenant: z.extend(accountContent, {
      tenant: z.string(),
      seed: z.string(),
      publisher: z.strictObject({ publisher_id: uuid, callback_url: z.optional(z.string()) }),
    }),
    documents: z.strictObject({
      clock: z.optional(storedClock),
      faults: z.optional(storedFaults),
      inbox: z.optional(inboxMode),
      coverage: z.optional(coverage),
      // Real time.
      ages: z.optional(list(z.strictObject({ at: clockTime, newest, newestRequest: count }), 100)),
    }),
  })
}

interface FileHead {
  readonly saved_at: string
  readonly tenant: ReturnType<typeof fileAccount> & z.output<typeof accountContent>
  readonly documents: SnapshotContent['documents']
}

/** Returns the issue of a file from a tenant with another name or seed. */
function otherTenant({ tenant, seed }: FileHead['tenant'], own: TenantRecord): FieldIssue[] | undefined {
  // The ids of its leads are derived from both: elsewhere, none of its keys, pixels and callbacks would be found.
  const field = tenant !== own.tenant ? 'tenant' : seed !== own.seed ? 'seed' : undefined
  if (field === undefined) return undefined
  const expected = field === 'seed' ? 'the seed of this tenant' : own.tenant
  const issue = `must be ${expected}; to use this file, create a tenant with the name and the seed in it, and import it there`
  return [{ field: `tenant.${field}`, issue }]
}

/** Returns the issues of a file's parties: those that the tenant was created with must be there, and none of another tenant. */
async function wrongParties(
  { publisher, advertisers, products }: FileHead['tenant'],
  { record, all }: FileOwner,
): Promise<FieldIssue[] | undefined> {
  const issues: FieldIssue[] = []
  if (publisher.publisher_id !== record.publisher.publisher_id)
    issues.push({ field: 'tenant.publisher.publisher_id', issue: `must be ${record.publisher.publisher_id}` })
  const made = await resetRecord(record)
  const lists = [
    ['advertisers', 'advertiser_id', advertisers.map(party => party.advertiser_id), idsOf(made).advertisers],
    ['products', 'product_id', products.map(party => party.product_id), idsOf(made).products],
  ] as const
  const added: [field: string, id: string][] = []
  for (const [list, key, ids, own] of lists) {
    if (own.some(id => !ids.includes(id)))
      issues.push({
        field: `tenant.${list}`,
        issue: `must hold those that the tenant was created with: ${own.join(', ')}`,
      })
    for (const [index, id] of ids.entries()) {
      const field = `tenant.${list}.${index}.${key}`
      if (ids.indexOf(id) < index) issues.push({ field, issue: 'must be there only once' })
      if (!own.includes(id)) added.push([field, id])
    }
  }
  const foreign = await idsOfOthers(new Set(added.map(([, id]) => id)), record, all())
  for (const [field, id] of added)
    if (foreign.has(id)) issues.push({ field, issue: 'must not be an id of another tenant' })
  return issues.length > 0 ? issues : undefined
}

function idsOf({ publisher, advertisers, products }: TenantRecord) {
  return {
    publisher: publisher.publisher_id,
    advertisers: advertisers.map(({ advertiser_id }) => advertiser_id),
    products: products.map(({ product_id }) => product_id),
  }
}

/** Returns those ids that another tenant was created with. Ids that were added later may be in several tenants. */
async function idsOfOthers(wanted: ReadonlySet<string>, own: TenantRecord, all: readonly TenantRecord[]) {
  const found = new Set<string>()
  const wantedOf = (record: TenantRecord) =>
    Object.values(idsOf(record))
      .flat()
      .filter(id => wanted.has(id))
  for (const record of all)
    if (record.tenant !== own.tenant && wantedOf(record).length > 0)
      for (const id of wantedOf(await resetRecord(record))) found.add(id)
  return found
}
