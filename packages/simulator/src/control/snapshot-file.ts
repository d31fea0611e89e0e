import {
  canonicalEvent,
  type FieldIssue,
  knownStatuses,
  leadStatuses,
  maxBodyBytes,
  maxIssues,
  maxRefLength,
  proseInterpretation,
  rejectionReasons,
  validationError,
} from '@lead-distribution/contract'
import {
  checkInput,
  dateTime,
  emailAddress,
  fieldIssues,
  leadSubmission,
  statusMetadata,
  uuid,
} from '@lead-distribution/contract/shapes'
import { durationMs, isSameUuid } from '@lead-distribution/engine'
import { malformedJson, type Refusal } from '@lead-distribution/http'
import * as z from 'zod/mini'
import type { SeededIds } from '../random/seeded-random.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import { type AccountContent, resetRecord, withIdentityOf } from '../tenants/create-tenant.ts'
import { mostWaiting, type SnapshotContent, type WholeLead } from '../tenants/snapshot-content.ts'
import { nextTurn } from '../time/next-turn.ts'
import { earliestTime, latestDueTime, latestTime } from '../time/time-control.ts'
import type { accountContent } from './account.ts'
import type { callbackHold, callbackState, inboxMode } from './callbacks.ts'
import type { storedFaults } from './faults.ts'
import type { request } from './journal.ts'
import { type JsonParts, type Part, type PartBounds, readJsonParts, UnreadableJson } from './json-parts.ts'
import type { advertiserDecision, reportWay, trace } from './leads.ts'
import type { wholeNumber } from './operation-defaults.ts'
import type { newSnapshot } from './snapshots.ts'

/**
 * The shapes and bounds of the control plane that a file repeats. They are handed in: imported from here, which is loaded
 * on demand, they would be a file of their own in every page that holds the sandbox, and weigh more there.
 */
interface SharedShapes {
  readonly newSnapshot: typeof newSnapshot
  readonly accountContent: typeof accountContent
  readonly trace: typeof trace
  readonly advertiserDecision: typeof advertiserDecision
  readonly reportWay: typeof reportWay
  readonly callbackState: typeof callbackState
  readonly callbackHold: typeof callbackHold
  readonly inboxMode: typeof inboxMode
  readonly storedFaults: typeof storedFaults
  readonly request: typeof request
  readonly wholeNumber: typeof wholeNumber
  readonly maxEntryBytes: number
  readonly mostInboxEntries: number
}

/** What a file begins with. */
export const snapshotFormat = 'lead-sandbox-snapshot/1'

/** The account of a tenant as a file holds it: without keys and secrets, which follow from the seed. */
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

// What a snapshot holds as a file: records as they are stored, so that no storage shows in it. Times are milliseconds.

/** What waits falls due within the longest duration from the latest time of a clock. */
const time = z.int().check(z.gte(earliestTime), z.lte(latestDueTime))
const clockTime = z.int().check(z.gte(earliestTime), z.lte(latestTime))
const milliseconds = z.number().check(z.gte(0), z.lte(durationMs('P3650D')))
const count = z.int().check(z.gte(0), z.lte(1_000_000_000))
/** As HTTP has it; 0 where there was none. */
const status = z.int().check(z.gte(0), z.lte(999))
const text = (longest: number) => z.string().check(z.maxLength(longest))
const name = text(1_000)
const list = <Item extends z.ZodMiniType>(item: Item, longest: number) => z.array(item).check(z.maxLength(longest))
const lowerCase = z.refine<string>(text => text === text.toLowerCase(), 'must be in lower case')
const email = emailAddress.check(z.maxLength(1_000), lowerCase)

/** How many events, and how many callbacks, a lead has at most; so many tries a callback has, too. */
const mostOfLead = 10_000

const eventShape = ({ reportWay }: SharedShapes) =>
  z
    .strictObject({
      advertiser_id: uuid,
      event: name,
      reported_as: name.check(z.minLength(1)),
      via: reportWay,
      ref: z.optional(text(maxRefLength)),
      metadata: z.optional(z.strictObject(statusMetadata.shape)),
      recorded_at: time,
    })
    .check(
      z.refine(({ event, reported_as }) => event === canonicalEvent(reported_as), {
        path: ['event'],
        message: 'must be the event that reported_as names',
      }),
    )

function attemptShape({ wholeNumber }: SharedShapes) {
  return z.strictObject({
    at: time,
    status: z.optional(status),
    error: z.optional(text(4_000)),
    ms: milliseconds,
    copies: z.optional(wholeNumber('duplicate')),
    fault_id: z.optional(text(20)),
  })
}

function callbackShape(shapes: SharedShapes) {
  return z
    .strictObject({
      callback_id: uuid,
      event: name.check(z.minLength(1)),
      state: shapes.callbackState,
      attempts: list(attemptShape(shapes), mostOfLead),
      due_at: z.optional(time),
      resent_after: z.optional(z.int().check(z.gte(0), z.lte(mostOfLead))),
      held: z.optional(shapes.callbackHold),
    })
    .check(
      z.refine(({ state, due_at }) => (state === 'pending') === (due_at !== undefined), {
        path: ['due_at'],
        message: 'must be there for a callback that is pending, and for no other',
      }),
    )
}

function leadShape(shapes: SharedShapes) {
  return z.strictObject({
    lead_id: uuid,
    product_id: uuid,
    email,
    status: z.enum(leadStatuses),
    rejection_reason: z.optional(z.enum(rejectionReasons)),
    received_at: time,
    submission: leadSubmission(proseInterpretation).check(
      // Its defaults, which are filled in, are less than the whitespace and names that are not.
      z.refine(lead => JSON.stringify(lead).length <= 2 * maxBodyBytes, `must be at most ${maxBodyBytes} bytes`),
    ),
    trace: shapes.trace.check(z.maxLength(50)),
    deliveries: list(
      z.strictObject({
        advertiser_id: uuid,
        name: text(100),
        decision: shapes.advertiserDecision,
        reasons: list(name, 20),
        backend: z.optional(z.omit(attemptShape(shapes), { copies: true, fault_id: true })),
      }),
      100,
    ),
    // Checked one by one.
    events: list(z.unknown(), mostOfLead),
    callbacks: list(z.unknown(), mostOfLead),
  })
}

function headShape(shapes: SharedShapes, { ids, callbackIds, now }: Own) {
  const { accountContent, inboxMode, storedFaults } = shapes
  const saved_at = dateTime.check(
    z.refine(
      text => Date.parse(text) >= 0 && Date.parse(text) <= now + durationMs('P1D'),
      'must be a time that exists, and is not in the future',
    ),
  )
  const newest = z.strictObject({ lead_id: z.optional(ownId(ids)), callback_id: z.optional(ownId(callbackIds)) })
  return z.strictObject({
    format: z.literal(snapshotFormat),
    saved_at,
    tenant: z.extend(accountContent, {
      tenant: z.string(),
      seed: z.string(),
      publisher: z.strictObject({ publisher_id: uuid, callback_url: z.optional(z.string()) }),
    }),
    documents: z.strictObject({
      clock: z.optional(
        z.discriminatedUnion('mode', [
          z.strictObject({ mode: z.literal('running'), ahead_ms: z.number() }),
          z.strictObject({ mode: z.literal('frozen'), now: clockTime }),
        ]),
      ),
      faults: z.optional(storedFaults),
      inbox: z.optional(inboxMode),
      coverage: z.optional(z.record(z.string().check(z.regex(/^[a-z]+\/\w+$/)), count)),
      // Real time.
      ages: z.optional(list(z.strictObject({ at: clockTime, newest, newestRequest: count }), 100)),
    }),
  })
}

const ownId = (ids: Pick<SeededIds, 'includes'>) => uuid.check(z.refine(id => ids.includes(id), notOwn))
const notOwn = 'is not an id that this tenant gives'

/** Reads the items of one list of a file. */
interface ItemReader {
  readonly kind: Part['kind']
  readonly bounds: PartBounds
  readonly shape: z.ZodMiniType
  /** Reports what is wrong with an item of the right shape besides, and keeps it. */
  take(item: never, report: (path: string, issue: string) => void): void
}

type ListName = 'customers' | 'leads' | 'reports' | 'chains' | 'inbox' | 'requests'

const kibi = 1_024
const mebi = 1_048_576
const manyItems = 100_000

/** The lists of a file as far as they are read. */
type Lists = Omit<SnapshotContent, 'documents'>

/** Returns true for the first of its kind with these names. */
type IsFirst = (...names: string[]) => boolean

/** The readers of all lists, and what they have read. Leads come before what names them. */
function createReaders(shapes: SharedShapes, own: Own) {
  const content: Lists = { customers: [], leads: [], reports: [], chains: {}, inbox: [], requests: [] }
  const seen = new Set<string>()
  const isFirst: IsFirst = (...names) => {
    const before = seen.size
    return seen.add(names.join(' ')).size > before
  }
  const readers: Record<ListName, ItemReader> = {
    leads: { ...listOf(manyItems, mebi), shape: leadShape(shapes), take: takeLead(shapes, own, content, isFirst) },
    customers: customerReader(own, content, isFirst),
    reports: reportReader(content, isFirst, lead_id => seen.has(`lead ${lead_id}`)),
    chains: chainReader(content),
    inbox: inboxReader(shapes, content),
    requests: {
      ...listOf(manyItems, 64 * kibi),
      shape: requestShape(shapes),
      take(request: Lists['requests'][number], report) {
        if (request.number <= (content.requests.at(-1)?.number ?? 0))
          report('number', 'must be above that of the request before it')
        content.requests.push(request)
      },
    },
  }
  return { readers, content }
}

function customerReader(own: Own, { customers }: Lists, isFirst: IsFirst): ItemReader {
  const shape = z.strictObject({
    product_id: uuid,
    email,
    lead_id: z.optional(ownId(own.ids)),
    refused_at: z.optional(time),
  })
  return {
    ...listOf(manyItems, 4 * kibi),
    shape: shape.check(
      z.refine(
        ({ lead_id, refused_at }) => lead_id !== undefined || refused_at !== undefined,
        'must name the lead that has the address, or when it was refused',
      ),
    ),
    take(customer: Lists['customers'][number], report) {
      if (!isFirst('customer', customer.product_id, customer.email)) report('', 'is there twice')
      customers.push(customer)
    },
  }
}

function reportReader({ reports }: Lists, isFirst: IsFirst, isLead: (leadId: string) => boolean): ItemReader {
  return {
    ...listOf(mostWaiting, 4 * kibi),
    shape: z.strictObject({
      report_id: text(50),
      lead_id: uuid,
      advertiser_id: uuid,
      event: z.enum(knownStatuses),
      due_at: time,
    }),
    take(due: Lists['reports'][number], report) {
      const { report_id, lead_id } = due
      const index = report_id.startsWith(`${lead_id}/`) ? report_id.slice(lead_id.length + 1) : ''
      if (!isLead(lead_id)) report('lead_id', 'is not the id of a lead of this file')
      if (!/^\d{1,2}$/.test(index)) report('report_id', 'must be the lead_id, a slash and a number')
      if (!isFirst('report', report_id)) report('report_id', 'is there twice')
      reports.push(due)
    },
  }
}

function chainReader({ chains }: Lists): ItemReader {
  return {
    kind: 'object',
    bounds: { items: mostWaiting, itemBytes: 4 * kibi },
    shape: z.record(z.string(), count),
    take(chain: Record<string, number>, report) {
      for (const [key, applied] of Object.entries(chain)) {
        if (/^\S{1,1000} [0-9a-f]{16}$/.test(key)) chains[key] = applied
        else report(key, 'is no key of a chain')
      }
    },
  }
}

function inboxReader({ wholeNumber, mostInboxEntries, maxEntryBytes }: SharedShapes, { inbox }: Lists): ItemReader {
  return {
    ...listOf(mostInboxEntries, 8 * kibi),
    shape: z.strictObject({
      received_at: time,
      lead_id: z.string(),
      event: z.string(),
      target: z.string(),
      headers: z.record(z.string().check(z.regex(/^webhook-\S*$/)), z.string()),
      status: wholeNumber('status'),
    }),
    take(entry: Lists['inbox'][number], report) {
      const { status: _, ...callback } = entry
      if (new TextEncoder().encode(JSON.stringify(callback)).byteLength > maxEntryBytes)
        report('', `must be at most ${maxEntryBytes} bytes`)
      inbox.push(entry)
    },
  }
}

const listOf = (items: number, itemBytes: number) => ({ kind: 'list' as const, bounds: { items, itemBytes } })

function requestShape({ request, trace }: SharedShapes) {
  const { near_misses, issues, warnings } = request.shape
  return z.extend(z.omit(request, { request_id: true }), {
    number: z.int().check(z.gte(1), z.lte(1_000_000_000_000)),
    at: time,
    method: text(20),
    path: name,
    status,
    ms: milliseconds,
    outcome: text(100),
    reason: z.optional(text(100)),
    event: z.optional(text(100)),
    check: z.optional(text(100)),
    trace: z.optional(trace.check(z.maxLength(50))),
    near_misses: z.optional(list(near_misses.def.innerType.def.element, 20)),
    issues: z.optional(list(issues.def.innerType.def.element, 20)),
    warnings: list(warnings.def.element, 50),
    fault_id: z.optional(text(20)),
  })
}

/** Takes a lead once its events and callbacks are checked, too. */
function takeLead(shapes: SharedShapes, { ids, callbackIds }: Own, { leads }: Lists, isFirst: IsFirst) {
  const [event, callback] = [eventShape(shapes), callbackShape(shapes)]
  return (lead: WholeLead, report: (path: string, issue: string) => void) => {
    const { lead_id } = lead
    if (!ids.includes(lead_id)) report('lead_id', notOwn)
    if (!isFirst('lead', lead_id)) report('lead_id', 'is there twice')
    const checked = <Item>(
      shape: z.ZodMiniType,
      items: readonly Item[],
      place: string,
      take: (item: Item, path: string) => void,
    ) =>
      items.map((item, index) => {
        const path = `${place}.${index}`
        const { value, issues } = readItem(shape, item, path)
        for (const { field, issue } of issues) report(field, issue)
        if (issues.length === 0) take(value as Item, path)
        return value as Item
      })
    const events = checked(event, lead.events, 'events', (each, path) => {
      if (!isFirst('event', lead_id, each.advertiser_id, each.event)) report(path, 'is there twice')
    })
    const callbacks = checked(callback, lead.callbacks, 'callbacks', ({ callback_id }, path) => {
      if (!callbackIds.includes(callback_id)) report(`${path}.callback_id`, notOwn)
      if (!isFirst('callback', callback_id)) report(`${path}.callback_id`, 'is there twice')
    })
    leads.push({ ...lead, events, callbacks })
  }
}

/** A value as its shape has it, or its issues below a path. */
function readItem(shape: z.ZodMiniType, input: unknown, path: string): { value?: unknown; issues: FieldIssue[] } {
  const checked = checkInput(shape, input)
  if (!checked.issues) return { value: checked.value, issues: [] }
  const issues = fieldIssues(checked.issues, input).map(({ field, issue }) => ({
    field: field === 'body' ? path : path === '' ? field : `${path}.${field}`,
    issue,
  }))
  return { issues }
}

/** A file that was read. */
interface SnapshotFile extends SnapshotContent {
  /** Milliseconds since 1970, real time. */
  saved_at: number
  record: TenantRecord
}

/** The tenant that a file is sent to. */
interface Own {
  readonly record: TenantRecord
  readonly ids: Pick<SeededIds, 'includes'>
  readonly callbackIds: Pick<SeededIds, 'includes'>
  /** Real time, milliseconds since 1970. */
  readonly now: number
  /** The records of all tenants. */
  readonly all: () => readonly TenantRecord[]
}

type ReadFile = { file: SnapshotFile; refused?: never } | { file?: never; refused: Refusal }

/**
 * Reads a file that was sent to a tenant: all of it is checked as where it is set otherwise, list by list and in steps, so
 * that other calls go on. Its identity is that of the tenant: ids that are not the tenant's are refused, keys and secrets
 * are the tenant's.
 */
export async function readSnapshotFile(
  shapes: SharedShapes,
  name: string,
  bytes: Uint8Array,
  own: Own,
): Promise<ReadFile> {
  const named = readItem(shapes.newSnapshot, { name }, '')
  if (named.issues.length > 0) return { refused: validationError(named.issues) }
  try {
    return await readParts(shapes, bytes, own)
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error
    const { path, message: issue } = error
    if (path === undefined) return { refused: malformedJson }
    return { refused: validationError([{ field: path.join('.') || 'body', issue }]) }
  }
}

async function readParts(shapes: SharedShapes, bytes: Uint8Array, own: Own): Promise<ReadFile> {
  const { readers, content } = createReaders(shapes, own)
  const lists = Object.entries(readers) as [ListName, ItemReader][]
  const object: PartBounds = { items: 50, itemBytes: mebi }
  const bounds = Object.fromEntries(lists.map(([name, { bounds }]) => [name, bounds]))
  const json = await readJsonParts(bytes, { ...bounds, tenant: object, documents: object })
  if (!json) return { refused: validationError([{ field: 'body', issue: 'must be an object' }]) }
  const head = readHead(json, shapes, own, lists)
  if (head.issues.length > 0) return { refused: validationError(head.issues) }
  const { saved_at, tenant, documents } = head.value as FileHead
  const wrong = otherTenant(tenant, own.record) ?? (await wrongParties(tenant, own)) ?? wrongClock(documents, saved_at)
  if (wrong) return { refused: validationError(wrong) }
  const issues = await readLists(json, lists)
  if (issues.length > 0) return { refused: validationError(issues) }
  const record = await withIdentityOf(own.record, tenant)
  return { file: { ...content, documents, record, saved_at: Date.parse(saved_at) } }
}

interface FileHead {
  readonly saved_at: string
  readonly tenant: ReturnType<typeof fileAccount> & AccountContent
  readonly documents: SnapshotContent['documents']
}

/** Reads all but the lists, which are only looked for. */
function readHead({ parts, values }: JsonParts, shapes: SharedShapes, own: Own, lists: [ListName, ItemReader][]) {
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

/** An object whose members were apart. */
function wholeObject(part: Part): object {
  const members = Array.from({ length: part.length }, (_, index) => Object.entries(part.parse(index) as object))
  return Object.fromEntries(members.flat())
}

/** How much is read before other work has its turn, bytes, and how many bytes take as long as to check a small item. */
const [turnBytes, itemBytes] = [65_536, 1_024]

/** Reads the lists, in steps; returns what is wrong, and stops where that is more than is listed. */
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

/** The issue of a file of a tenant of another name or seed. */
function otherTenant({ tenant, seed }: FileHead['tenant'], own: TenantRecord): FieldIssue[] | undefined {
  // The ids of its leads follow from both: elsewhere no key, no pixel and no callback of it would be found.
  const field = tenant !== own.tenant ? 'tenant' : seed !== own.seed ? 'seed' : undefined
  if (field === undefined) return undefined
  const [what, flag] = field === 'seed' ? ['has another seed', 'seed'] : [`is called ${own.tenant}`, 'name']
  const issue = `is of another tenant, while this one ${what}: create a tenant with the ${flag} in the file, and import it there`
  return [{ field: `tenant.${field}`, issue }]
}

/** The issues of the parties of a file: those that the tenant was made with are there, and none that another one was. */
async function wrongParties(
  { publisher, advertisers, products }: FileHead['tenant'],
  { record, all }: Own,
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
        issue: `must hold those that the tenant was made with: ${own.join(', ')}`,
      })
    for (const [index, id] of ids.entries()) {
      const field = `tenant.${list}.${index}.${key}`
      if (ids.findIndex(other => isSameUuid(other, id)) < index) issues.push({ field, issue: 'is there twice' })
      if (!own.includes(id)) added.push([field, id.toLowerCase()])
    }
  }
  const foreign = await idsOfOthers(new Set(added.map(([, id]) => id)), record, all())
  for (const [field, id] of added) if (foreign.has(id)) issues.push({ field, issue: 'is the id of another tenant' })
  return issues.length > 0 ? issues : undefined
}

function idsOf({ publisher, advertisers, products }: TenantRecord) {
  return {
    publisher: publisher.publisher_id,
    advertisers: advertisers.map(({ advertiser_id }) => advertiser_id),
    products: products.map(({ product_id }) => product_id),
  }
}

/** Those of some ids that another tenant was made with. What others added is theirs and this tenant's alike. */
async function idsOfOthers(wanted: ReadonlySet<string>, own: TenantRecord, all: readonly TenantRecord[]) {
  const found = new Set<string>()
  const wantedOf = (record: TenantRecord) =>
    Object.values(idsOf(record))
      .flat()
      .map(id => id.toLowerCase())
      .filter(id => wanted.has(id))
  for (const record of all)
    if (record.tenant !== own.tenant && wantedOf(record).length > 0)
      for (const id of wantedOf(await resetRecord(record))) found.add(id)
  return found
}

/** The issue of a clock that would show a time that no clock shows. */
function wrongClock({ clock }: FileHead['documents'], saved_at: string): FieldIssue[] | undefined {
  const shown = clock?.mode === 'running' ? Date.parse(saved_at) + clock.ahead_ms : earliestTime
  if (shown >= earliestTime && shown <= latestTime) return undefined
  const [earliest, latest] = [earliestTime, latestTime].map(time => new Date(time).toISOString())
  const issue = `must have the clock show a time from ${earliest} to ${latest} at saved_at`
  return [{ field: 'documents.clock.ahead_ms', issue }]
}
