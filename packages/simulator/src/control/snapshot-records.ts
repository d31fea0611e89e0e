import {
  canonicalEvent,
  durationMs,
  type FieldIssue,
  knownStatuses,
  leadStatuses,
  maxBodyBytes,
  maxRefLength,
  maxStatusLength,
  proseInterpretation,
  rejectionReasons,
} from '@lead-distribution/contract'
import { emailAddress, leadSubmission, statusMetadata, uuid } from '@lead-distribution/contract/shapes'
import { maxChainLength } from '@lead-distribution/contract/test-leads'
import type { EventRecord, LeadRecord, Reading, Storage } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { maxEntryBytes, maxInboxEntries } from '../callbacks/inbox.ts'
import type { SeededIds } from '../random/seeded-random.ts'
import type {
  InboxEntry,
  NumberedInboxEntry,
  RejectionRecord,
  RequestRecord,
  SandboxCallback,
  SandboxOfferResponse,
  ScheduledReport,
} from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import type { StoredCustomer } from '../storage/tables.ts'
import { earliestTime, latestDueTime } from '../time/clock.ts'
import { nextTurn } from '../time/locks.ts'
import { callbackChanges } from './callbacks.ts'
import {
  advertiserDecision,
  callbackHold,
  callbackState,
  reportWay,
  request,
  toolOrigin,
  trace,
  wholeNumber,
} from './shapes.ts'

// A file contains records in their stored form, independent of the storage and without URLs, which each sandbox derives.
// Times are in milliseconds.

/** A file's records by kind. */
interface Records {
  customer: StoredCustomer
  lead: Omit<LeadRecord, 'deliveries'> & { readonly deliveries: Omit<SandboxOfferResponse, 'redirect_url'>[] }
  event: EventRecord
  callback: Omit<SandboxCallback, 'url'>
  report: ScheduledReport
  /** The number of a chain's scenarios applied so far. */
  chain: { readonly key: string; readonly applied: number }
  inbox: InboxEntry
  request: RequestRecord
  rejection: RejectionRecord
}

export type RecordKind = keyof Records

/** A line of a file: a record under its kind. */
export type FileRecord = { [Kind in RecordKind]: { readonly kind: Kind; readonly record: Records[Kind] } }[RecordKind]

/** A stored time. Jobs fall due at most the maximum duration after the latest time of a clock. */
const time = z.int().check(z.gte(earliestTime), z.lte(latestDueTime))
const milliseconds = z.number().check(z.gte(0), z.lte(durationMs('P3650D')))
/** A count. */
export const count = z.int().check(z.gte(0), z.lte(1_000_000_000))
/** An HTTP status; 0 if there was none. */
const status = z.int().check(z.gte(0), z.lte(999))
const text = (maxLength: number) => z.string().check(z.maxLength(maxLength))
const eventName = text(maxStatusLength).check(z.minLength(1))
/** Returns the shape of a list with a maximum length, which is checked before the items. */
export const list = <Item extends z.ZodMiniType>(item: Item, maxLength: number) =>
  z.array(item).check(z.maxLength(maxLength))
const headers = (maxLength: number) => z.record(text(100), text(maxLength))
/** An e-mail address in its stored form. */
const email = emailAddress.check(z.refine(text => text === text.toLowerCase(), 'must be in lower case'))

/** The maximum number of attempts per callback. */
const maxAttempts = 20_000

const attempt = z.strictObject({
  at: time,
  status: z.optional(status),
  error: z.optional(text(4_000)),
  ms: milliseconds,
  answer: z.optional(
    z.strictObject({ headers: headers(200), text: text(4_000), truncated: z.optional(z.literal(true)) }),
  ),
  copies: z.optional(wholeNumber('duplicate')),
  fault_id: z.optional(text(20)),
})

const customer = z
  .strictObject({ product_id: uuid, email, lead_id: z.optional(uuid), refused_at: z.optional(time) })
  .check(
    z.refine(
      ({ lead_id, refused_at }) => lead_id !== undefined || refused_at !== undefined,
      'must name the lead that has the address, or the time of its rejection',
    ),
  )

const lead = z.strictObject({
  lead_id: uuid,
  product_id: uuid,
  email,
  status: z.enum(leadStatuses),
  rejection_reason: z.optional(z.enum(rejectionReasons)),
  received_at: time,
  submission: leadSubmission(proseInterpretation).check(
    // A stored submission fits the body's limit: its added defaults are smaller than the whitespace and escapes that it
    // lost.
    z.refine(lead => JSON.stringify(lead).length <= 2 * maxBodyBytes, `must be at most ${maxBodyBytes} bytes`),
  ),
  trace: trace.check(z.maxLength(50)),
  deliveries: list(
    z.strictObject({
      advertiser_id: uuid,
      name: text(100),
      decision: advertiserDecision,
      reasons: list(text(1_000), 20),
      backend: z.optional(z.omit(attempt, { answer: true, copies: true, fault_id: true })),
    }),
    100,
  ),
})

const event = z
  .strictObject({
    lead_id: uuid,
    advertiser_id: uuid,
    event: eventName,
    reported_as: eventName,
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

const callback = z
  .strictObject({
    lead_id: uuid,
    callback_id: uuid,
    event: eventName,
    state: callbackState,
    attempts: list(attempt, maxAttempts),
    due_at: z.optional(time),
    resent_after: z.optional(z.int().check(z.gte(0), z.lte(maxAttempts))),
    held: z.optional(callbackHold),
    origin: z.optional(toolOrigin),
    synthetic: z.optional(z.extend(callbackChanges, { copy_of: z.optional(uuid) })),
  })
  .check(
    z.refine(({ state, due_at }) => (state === 'pending') === (due_at !== undefined), {
      path: ['due_at'],
      message: 'must be present if and only if the callback is pending',
    }),
  )

const report = z
  .strictObject({
    report_id: text(50),
    lead_id: uuid,
    advertiser_id: uuid,
    event: z.enum(knownStatuses),
    due_at: time,
  })
  .check(
    z.refine(({ report_id, lead_id }) => report_id.startsWith(`${lead_id}/`) && /^\d{1,2}$/.test(report_id.slice(37)), {
      path: ['report_id'],
      message: 'must be the lead_id, a slash and a number',
    }),
  )

const chain = z.strictObject({
  /** Its words and the hash of the e-mail address. */
  key: z.string().check(z.regex(new RegExp(`^\\S{1,${maxChainLength}} [0-9a-f]{16}$`), 'must be the key of a chain')),
  applied: count,
})

const inbox = z
  .strictObject({
    received_at: time,
    lead_id: z.string(),
    event: z.string(),
    target: z.string(),
    headers: z.record(z.string().check(z.regex(/^webhook-\S*$/)), z.string()),
    status: wholeNumber('status'),
  })
  .check(
    z.refine(
      ({ status: _, ...entry }) => new TextEncoder().encode(JSON.stringify(entry)).byteLength <= maxEntryBytes,
      `must be at most ${maxEntryBytes} bytes`,
    ),
  )

const { near_misses, issues, warnings } = request.shape
const storedRequest = z.extend(
  z.omit(request, { request_id: true, request_body: true, response_body: true, is_full: true }),
  {
    number: z.int().check(z.gte(1), z.lte(1_000_000_000_000)),
    at: time,
    method: text(20),
    path: text(1_000),
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
    query: z.optional(text(200)),
    request_headers: z.optional(headers(maxChainLength)),
    response_headers: z.optional(headers(200)),
  },
)

const rejection = z.strictObject({
  number: storedRequest.shape.number,
  at: time,
  product_id: uuid,
  reason: z.enum(rejectionReasons),
  email,
  loan_amount: z.number(),
  loan_term_months: z.int(),
})

/** The shape of each kind of record, and its maximum number in a file. */
export const recordKinds: Readonly<Record<RecordKind, { readonly shape: z.ZodMiniType; readonly max: number }>> = {
  customer: { shape: customer, max: 100_000 },
  lead: { shape: lead, max: 100_000 },
  event: { shape: event, max: 100_000 },
  callback: { shape: callback, max: 100_000 },
  // Reports and chains are each read in one query.
  report: { shape: report, max: 20_000 },
  chain: { shape: chain, max: 20_000 },
  inbox: { shape: inbox, max: maxInboxEntries },
  request: { shape: storedRequest, max: 100_000 },
  rejection: { shape: rejection, max: 100_000 },
}

/** Returns a shape for the ids that a tenant assigns. */
export type TenantIds = Readonly<Record<'lead' | 'callback', Pick<SeededIds, 'includes'>>>

const foreignId = 'must be an id that this tenant assigns'
export const ownId = (ids: Pick<SeededIds, 'includes'>) => uuid.check(z.refine(id => ids.includes(id), foreignId))

/** Creates the check of a record against the tenant and the records on the lines above. */
export function createReferenceCheck(ids: TenantIds): (record: FileRecord) => FieldIssue[] {
  const seen = new Set<string>()
  let requestNumber = 0

  function onlyOnce(field: string, ...key: string[]): FieldIssue[] {
    const before = seen.size
    return seen.add(key.join(' ')).size > before ? [] : [{ field, issue: 'must appear only once' }]
  }

  const own = (kind: keyof TenantIds, field: string, id: string | undefined): FieldIssue[] =>
    id === undefined || ids[kind].includes(id) ? [] : [{ field, issue: foreignId }]

  const ofLead = ({ lead_id }: { readonly lead_id: string }): FieldIssue[] =>
    seen.has(`lead ${lead_id}`) ? [] : [{ field: 'lead_id', issue: 'must be the lead_id of a lead on a line above' }]

  return ({ kind, record }) => {
    switch (kind) {
      case 'customer':
        return [...own('lead', 'lead_id', record.lead_id), ...onlyOnce('email', kind, record.product_id, record.email)]
      case 'lead':
        return [...own('lead', 'lead_id', record.lead_id), ...onlyOnce('lead_id', kind, record.lead_id)]
      case 'event':
        return [...ofLead(record), ...onlyOnce('event', kind, record.lead_id, record.advertiser_id, record.event)]
      case 'callback':
        return [
          ...ofLead(record),
          ...own('callback', 'callback_id', record.callback_id),
          ...onlyOnce('callback_id', kind, record.callback_id),
        ]
      case 'report':
        return [...ofLead(record), ...onlyOnce('report_id', kind, record.report_id)]
      case 'chain':
        return onlyOnce('key', kind, record.key)
      case 'request': {
        const before = requestNumber
        requestNumber = record.number
        return record.number > before ? [] : [{ field: 'number', issue: 'must be above that of the request before it' }]
      }
      case 'rejection':
        return onlyOnce('number', kind, String(record.number))
      case 'inbox':
        return []
    }
  }
}

/** The number of records to read or write in one transaction. */
const batch = 64

/** The number of bytes to write in one transaction, unless a single record is larger. */
const batchBytes = 65_536

/** Reads everything stored in tables, oldest first; undefined if it exceeds the given number of characters of JSON. */
export async function readRecords(
  storage: Pick<Storage<SandboxTables>, 'read'>,
  maxCharacters: number,
): Promise<FileRecord[] | undefined> {
  let characters = 0
  const hasRoom = () => characters <= maxCharacters
  const pages = async <Item>(read: (tables: Reading<SandboxTables>, last: Item | undefined) => Promise<Item[]>) => {
    const all: Item[] = []
    for (let found: Item[] | undefined; hasRoom() && found?.length !== 0; all.push(...found)) {
      await nextTurn()
      found = await storage.read(tables => read(tables, all.at(-1)))
      characters += JSON.stringify(found).length
    }
    return all
  }
  const customers = await pages((tables, last: StoredCustomer | undefined) => tables.listCustomers(batch, last))
  const leads = await pages((tables, last: WholeLead | undefined) => readLeads(tables, last?.record.lead_id))
  const requests = await pages((tables, last: RequestRecord | undefined) => tables.readRequests(last?.number, batch))
  const rejections = await pages((tables, last: RejectionRecord | undefined) =>
    tables.readRejections(last?.number, batch),
  )
  const entries = await pages((tables, last: NumberedInboxEntry | undefined) =>
    tables.listInbox({ before: last?.number, limit: batch }),
  )
  // One more than a file may contain, so that the export is refused.
  const [reports, chains] = await storage.read(async tables => [
    await tables.listDueReports(Number.MAX_SAFE_INTEGER, recordKinds.report.max + 1),
    await tables.listChains(recordKinds.chain.max + 1),
  ])
  if (!hasRoom()) return undefined
  return [
    ...customers.map(record => ({ kind: 'customer' as const, record })),
    ...leads
      .reverse()
      .flatMap(({ record, events, callbacks }) => [
        { kind: 'lead' as const, record },
        ...events.map(record => ({ kind: 'event' as const, record })),
        ...callbacks.map(({ url: _, ...record }) => ({ kind: 'callback' as const, record })),
      ]),
    ...reports.map(record => ({ kind: 'report' as const, record })),
    ...chains.map(([key, applied]) => ({ kind: 'chain' as const, record: { key, applied } })),
    ...entries.reverse().map(({ number: _, ...record }) => ({ kind: 'inbox' as const, record })),
    ...requests.reverse().map(record => ({ kind: 'request' as const, record })),
    ...rejections.reverse().map(record => ({ kind: 'rejection' as const, record })),
  ]
}

interface WholeLead {
  readonly record: Records['lead']
  readonly events: readonly EventRecord[]
  readonly callbacks: readonly SandboxCallback[]
}

/** Returns leads older than the given one, newest first, each with its related records. */
async function readLeads(tables: Reading<SandboxTables>, before: string | undefined): Promise<WholeLead[]> {
  const leads = await tables.listLeads({ before, limit: batch })
  const [oldest, newest] = [leads.at(-1)?.lead_id, leads[0]?.lead_id]
  if (oldest === undefined) return []
  const events = Map.groupBy(await tables.listEvents(oldest, newest), ({ lead_id }) => lead_id)
  const callbacks = Map.groupBy(await tables.listCallbacks(oldest, newest), ({ lead_id }) => lead_id)
  return leads.map(lead => ({
    record: { ...lead, deliveries: lead.deliveries.map(({ redirect_url: _, ...delivery }) => delivery) },
    events: events.get(lead.lead_id) ?? [],
    callbacks: callbacks.get(lead.lead_id) ?? [],
  }))
}

/** The URLs that a sandbox derives. */
export interface RecordLinks {
  /** Returns the URL that a customer is redirected to. */
  redirect(leadId: string, advertiserId: string): string
  callback(callback: Pick<SandboxCallback, 'lead_id' | 'event' | 'synthetic'>): string
}

/** Writes a file's records to an empty storage, in short transactions. */
export async function writeRecords(
  storage: Pick<Storage<SandboxTables>, 'transact'>,
  records: readonly (FileRecord & { readonly bytes: number })[],
  links: RecordLinks,
): Promise<void> {
  for (let at = 0; at < records.length; ) {
    const from = at
    for (let bytes = 0; at < records.length && at - from < batch && bytes < batchBytes; at++)
      bytes += records[at]?.bytes ?? 0
    const part = records.slice(from, at)
    await nextTurn()
    await storage.transact(async tables => {
      for (const each of part) await writeRecord(tables, each, links)
      const requests = part.flatMap(({ kind, record }) => (kind === 'request' ? [record] : []))
      if (requests.length > 0) await tables.addRequests(requests)
    })
  }
}

async function writeRecord(tables: SandboxTables, { kind, record }: FileRecord, links: RecordLinks): Promise<void> {
  switch (kind) {
    case 'customer': {
      const { product_id, email, lead_id, refused_at } = record
      if (refused_at !== undefined) await tables.markRefused(product_id, email, refused_at)
      if (lead_id !== undefined) await tables.claimCustomer(product_id, email, lead_id)
      return
    }
    case 'lead': {
      const deliveries = record.deliveries.map(delivery =>
        delivery.decision === 'accepted'
          ? { ...delivery, redirect_url: links.redirect(record.lead_id, delivery.advertiser_id) }
          : delivery,
      )
      return tables.addLead({ ...record, deliveries })
    }
    case 'event':
      return void (await tables.claimEvent(record))
    case 'callback':
      return tables.addCallback({ ...record, url: links.callback(record) })
    case 'report':
      return tables.addReport(record)
    case 'chain':
      return tables.setChain(record.key, record.applied)
    case 'inbox':
      return tables.addInboxEntry(record)
    case 'rejection':
      return tables.addRejection(record)
    case 'request':
      // Added together, because a storage groups requests in blocks.
      return
  }
}
