import { dateTimeMs, durationMs, type FieldIssue, maxIssues, validationError } from '@lead-distribution/contract'
import { checkInput, dateTime, fieldIssues, uuid } from '@lead-distribution/contract/shapes'
import { malformedJson, type Refusal, startsWithMark } from '@lead-distribution/http'
import * as z from 'zod/mini'
import type { TenantDocuments } from '../storage/records.ts'
import type { OpenSnapshot } from '../storage/sandbox-storage.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import { documentsOf } from '../tenants/account.ts'
import { accountContent, withIdentityOf } from '../tenants/change-tenant.ts'
import { resetRecord } from '../tenants/create-tenant.ts'
import { earliestTime, latestTime } from '../time/clock.ts'
import { nextTurn } from '../time/locks.ts'
import { boundsIssue } from './bounded-json.ts'
import { clockTime, storedClock } from './clock.ts'
import { storedFaults } from './faults.ts'
import { inboxMode, iso } from './shapes.ts'
import {
  count,
  createReferenceCheck,
  type FileRecord,
  list,
  ownId,
  type RecordKind,
  readRecords,
  recordKinds,
  type TenantIds,
} from './snapshot-records.ts'

/**
 * A snapshot file is NDJSON. The first line is the head: the account and the tenant's documents. Every other line is a
 * record under its kind, `{"lead":{…}}`. The last line has the number of records, `{"records":42}`, to detect a truncated
 * file.
 */
const snapshotFormat = 'lead-sandbox-snapshot/2'

/** The maximum size of a line, in bytes. */
const maxLineBytes = 4_194_304

/** The tenant that imports a file. */
export interface FileOwner {
  readonly record: TenantRecord
  readonly ids: TenantIds
  /** Real time, in milliseconds since 1970. */
  readonly now: number
  readonly all: () => readonly TenantRecord[]
}

interface SnapshotFile {
  /** Milliseconds since 1970, real time. */
  readonly saved_at: number
  readonly record: TenantRecord
  readonly documents: FileDocuments
  readonly records: readonly (FileRecord & { readonly bytes: number })[]
}

type FileDocuments = Partial<TenantDocuments> & { coverage?: Record<string, number> | undefined }

type ReadFile = { file: SnapshotFile; refused?: never } | { file?: never; refused: Refusal }

/** Returns a snapshot as a file; undefined if it exceeds a bound of the import, or the given number of characters. */
export async function writeSnapshotFile(
  { record, saved_at, storage }: OpenSnapshot,
  maxCharacters: number,
): Promise<string | undefined> {
  const records = await readRecords(storage, maxCharacters)
  if (!records) return undefined
  const { stored, coverage } = await storage.read(async tables => ({
    stored: await tables.readDocuments(),
    coverage: await tables.readCoverage(),
  }))
  // Callbacks in flight through a listener are useless elsewhere.
  const { listener: _, ...documents } = stored
  // Written even if it was never stored: the tenant that imports the file may have been created with another clock.
  const { clock } = documentsOf(record, documents)
  const head = {
    format: snapshotFormat,
    saved_at: iso(saved_at),
    tenant: fileAccount(record),
    documents: { ...documents, clock, coverage },
  }
  const counts = createCounts()
  const lines = [JSON.stringify(head)]
  for (const { kind, record } of records) {
    if (counts.isFull(kind)) return undefined
    lines.push(JSON.stringify({ [kind]: record }))
  }
  lines.push(JSON.stringify({ records: records.length }))
  const encoder = new TextEncoder()
  for (const line of lines) {
    const bytes = encoder.encode(line)
    if (bytes.byteLength > maxLineBytes || boundsIssue(bytes) !== undefined) return undefined
  }
  const text = `${lines.join('\n')}\n`
  return text.length > maxCharacters ? undefined : text
}

/** Counts records by kind. */
function createCounts() {
  const counts = new Map<RecordKind, number>()
  return {
    /** Adds a record, unless the file already has the maximum number of its kind. */
    isFull(kind: RecordKind): boolean {
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      return count > recordKinds[kind].max
    },
  }
}

/** The number of bytes to read before yielding, and the byte count that represents the cost of checking a small record. */
const [turnBytes, recordBytes] = [65_536, 1_024]

/**
 * Reads a file that a tenant imports. Validates it as strictly as any other input, line by line, and yields regularly so
 * that other requests continue. The tenant keeps its identity: its keys and secrets stay, and foreign ids are refused.
 */
export async function readSnapshotFile(bytes: Uint8Array, own: FileOwner): Promise<ReadFile> {
  if (isEarlierFormat(bytes)) return refuse([{ field: 'line 1: format', issue: earlierFormat }])
  const issues: FieldIssue[] = []
  const records: (FileRecord & { readonly bytes: number })[] = []
  const readRecord = createRecordReader(own.ids)
  let head: FileHead | undefined
  let isComplete = false
  let read = 0
  let number = 0

  for (const { from, to } of linesOf(bytes)) {
    number += 1
    const at = `line ${number}`
    if (issues.length > maxIssues) break
    if (isComplete) return refuse([{ field: at, issue: 'must not follow the line with the number of records' }])
    read += recordBytes + to - from
    if (read > turnBytes) {
      await nextTurn()
      read = 0
    }
    const { value, issue, refused } = parseLine(bytes, from, to)
    if (refused) return { refused }
    if (issue !== undefined) {
      issues.push({ field: at, issue })
    } else if (number === 1) {
      const found = await readHead(value, own)
      if (!found.head) return refuse(found.issues.map(({ field, issue }) => ({ field: fieldAt(at, field), issue })))
      head = found.head
    } else if (isLastLine(value)) {
      isComplete = true
      const expected = number - 2
      if (value.records !== expected)
        issues.push({
          field: `${at}: records`,
          issue: `must be ${expected}, the number of lines between the head and this line`,
        })
    } else {
      const { record, issues: wrong = [] } = readRecord(value)
      if (record) records.push({ ...record, bytes: to - from })
      issues.push(...wrong.map(({ field, issue }) => ({ field: fieldAt(at, field), issue })))
    }
  }

  if (!isComplete && issues.length === 0)
    issues.push({
      field: `line ${number + 1}`,
      issue: 'must be the number of records, {"records":…}: the file is truncated; export the snapshot again',
    })
  if (!head || issues.length > 0) return refuse(issues)
  const record = await withIdentityOf(own.record, head.tenant)
  return { file: { saved_at: dateTimeMs(head.saved_at), record, documents: head.documents, records } }
}

interface ParsedLine {
  readonly value?: unknown
  /** The bound that the line exceeds. */
  readonly issue?: string | undefined
  readonly refused?: Refusal
}

/** Checks a line's bounds, then parses it. */
function parseLine(bytes: Uint8Array, from: number, to: number): ParsedLine {
  const line = bytes.subarray(from, to)
  const issue = line.byteLength > maxLineBytes ? `must be at most ${maxLineBytes} bytes` : boundsIssue(line)
  if (issue !== undefined) return { issue }
  try {
    return { value: JSON.parse(utf8.decode(line)) }
  } catch {
    return { refused: malformedJson(bytes, { from, to }) }
  }
}

function isLastLine(value: unknown): value is { readonly records: unknown } {
  return typeof value === 'object' && value !== null && Object.keys(value).join() === 'records'
}

type ReadRecord =
  | { readonly record: FileRecord; readonly issues?: never }
  | { readonly record?: never; readonly issues: FieldIssue[] }

/** Creates the reader of records. Pass them in the order of their lines. */
function createRecordReader(ids: TenantIds): (value: unknown) => ReadRecord {
  const counts = createCounts()
  const checkReferences = createReferenceCheck(ids)
  return value => {
    const [entry, ...more] = typeof value === 'object' && value !== null ? Object.entries(value) : []
    if (!entry || more.length > 0 || !Object.hasOwn(recordKinds, entry[0]))
      return { issues: [{ field: '', issue: notRecord }] }
    const [kind, input] = entry as [RecordKind, unknown]
    const { shape, max } = recordKinds[kind]
    if (counts.isFull(kind)) return { issues: [{ field: kind, issue: `must not appear more than ${max} times` }] }
    const checked = checkInput(shape, input)
    const record = { kind, record: checked.value } as FileRecord
    const issues = checked.issues ? fieldIssues(checked.issues, input) : checkReferences(record)
    if (issues.length === 0) return { record }
    return { issues: issues.map(({ field, issue }) => ({ field: fieldAt(kind, field, '.'), issue })) }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

const notRecord = `must be one record, such as {"lead":{…}}, of the kind ${Object.keys(recordKinds).join(', ')}; or {"records":…} as the last line`

const earlierFormat = `must be ${snapshotFormat}. An earlier build wrote this file (lead-sandbox-snapshot/1): export the snapshot again`

/** Returns true for a file of format 1, which was one JSON object, indented or not. */
function isEarlierFormat(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, 200))
  return /^\s*\{\s*"format"\s*:\s*"lead-sandbox-snapshot\/1"/.test(start)
}

function refuse(issues: FieldIssue[]): { readonly refused: Refusal } {
  return { refused: validationError(issues) }
}

/** Returns the name of a field on a line, or the line's name for an issue of the whole line. */
function fieldAt(place: string, field: string, separator = ': '): string {
  return field === '' || field === 'body' ? place : `${place}${separator}${field}`
}

/** Returns the lines of a text without line endings. An empty text has one line. */
function* linesOf(bytes: Uint8Array): Generator<{ readonly from: number; readonly to: number }, void, void> {
  let from = startsWithMark(bytes) ? 3 : 0
  do {
    const end = bytes.indexOf(0x0a, from)
    const to = end < 0 ? bytes.length : end
    yield { from, to }
    from = to + 1
  } while (from < bytes.length)
}

/** Reads the first line. Its publisher and advertisers must be the tenant's own. */
async function readHead(
  value: unknown,
  own: FileOwner,
): Promise<{ head: FileHead; issues?: never } | { head?: never; issues: FieldIssue[] }> {
  const checked = checkInput(headShape(own), value)
  if (checked.issues) return { issues: fieldIssues(checked.issues, value) }
  const head = checked.value as FileHead
  const { saved_at, tenant, documents } = head
  const issues = otherTenant(tenant, own.record) ?? (await wrongParties(tenant, own)) ?? wrongClock(documents, saved_at)
  return issues ? { issues } : { head }
}

/** Returns the issue of a clock that would show an impossible time. */
function wrongClock({ clock }: FileHead['documents'], saved_at: string): FieldIssue[] | undefined {
  const shown = clock?.mode === 'running' ? dateTimeMs(saved_at) + clock.ahead_ms : earliestTime
  if (shown >= earliestTime && shown <= latestTime) return undefined
  const issue = `must make the clock show a time from ${iso(earliestTime)} to ${iso(latestTime)} at saved_at`
  return [{ field: 'documents.clock.ahead_ms', issue }]
}

/** Returns a tenant's account for a file: without keys and secrets, which are derived from the seed. */
function fileAccount(record: TenantRecord) {
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

/** More than there are coverage items. All are stored in one transaction and read for every coverage request. */
const maxCovered = 1_000

const coverage = z
  .record(z.string().check(z.regex(/^([a-z-]{1,20}:)?[a-z]{1,20}\/\w{1,100}$/)), count)
  .check(z.refine(counts => Object.keys(counts).length <= maxCovered, `must contain at most ${maxCovered} items`))

function headShape({ ids, now }: FileOwner) {
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
  readonly documents: FileDocuments
}

/** Returns the issue of a file from a tenant with another name or seed. */
function otherTenant({ tenant, seed }: FileHead['tenant'], own: TenantRecord): FieldIssue[] | undefined {
  // Lead ids are derived from both: in another tenant, keys, pixels and callbacks would match nothing.
  const field = tenant !== own.tenant ? 'tenant' : seed !== own.seed ? 'seed' : undefined
  if (field === undefined) return undefined
  const expected = field === 'seed' ? 'the seed of this tenant' : own.tenant
  const issue = `must be ${expected}; to use this file, create a tenant with the name and the seed in it, and import it there`
  return [{ field: `tenant.${field}`, issue }]
}

/**
 * Returns the issues of a file's parties. The file must contain those that the tenant was created with, and none of
 * another tenant.
 */
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
        issue: `must contain those that the tenant was created with: ${own.join(', ')}`,
      })
    for (const [index, id] of ids.entries()) {
      const field = `tenant.${list}.${index}.${key}`
      if (ids.indexOf(id) < index) issues.push({ field, issue: 'must appear only once' })
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

/** Returns the ids that another tenant was created with. Ids added later may exist in several tenants. */
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
