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
import {
  checkInput,
  emailAddress,
  fieldIssues,
  leadSubmission,
  statusMetadata,
  uuid,
} from '@lead-distribution/contract/shapes'
import { maxChainLength } from '@lead-distribution/contract/test-leads'
import * as z from 'zod/mini'
import type { SeededIds } from '../random/seeded-random.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import { mostWaiting, type SnapshotContent, type WholeLead } from '../tenants/snapshot.ts'
import { earliestTime, latestDueTime } from '../time/clock.ts'
import type { Part, PartBounds } from './large-json.ts'
import type { FileShapes } from './stored-shapes.ts'

export interface FileOwner {
  readonly record: TenantRecord
  readonly ids: Readonly<Record<'lead' | 'callback', Pick<SeededIds, 'includes'>>>
  /** Real time, milliseconds since 1970. */
  readonly now: number
  readonly all: () => readonly TenantRecord[]
}

// A file holds records as they are stored, and nothing of a particular storage. Times are milliseconds.

/** A stored time. Pending work falls due within the longest duration from the latest time of a clock. */
const time = z.int().check(z.gte(earliestTime), z.lte(latestDueTime))
const milliseconds = z.number().check(z.gte(0), z.lte(durationMs('P3650D')))
/** A number of times. */
export const count = z.int().check(z.gte(0), z.lte(1_000_000_000))
/** An HTTP status; 0 if there was none. */
const status = z.int().check(z.gte(0), z.lte(999))
/** A text of at most this length. */
const text = (longest: number) => z.string().check(z.maxLength(longest))
const name = text(1_000)
const eventName = text(maxStatusLength).check(z.minLength(1))
/** A list of at most this length, which is checked before its items. */
export const list = <Item extends z.ZodMiniType>(item: Item, longest: number) =>
  z.array(item).check(z.maxLength(longest))
const lowerCase = z.refine<string>(text => text === text.toLowerCase(), 'must be in lower case')
/** An address as it is stored. */
const email = emailAddress.check(lowerCase)

/** The largest number of events and of callbacks of a lead, and of attempts of a callback. */
const mostOfLead = 20_000

const headers = (longest: number) => z.record(text(100), text(longest))

const eventShape = ({ reportWay }: FileShapes) =>
  z
    .strictObject({
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

function attemptShape({ wholeNumber }: FileShapes) {
  return z.strictObject({
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
}

function callbackShape(shapes: FileShapes) {
  return z
    .strictObject({
      callback_id: uuid,
      event: eventName,
      state: shapes.callbackState,
      attempts: list(attemptShape(shapes), mostOfLead),
      due_at: z.optional(time),
      resent_after: z.optional(z.int().check(z.gte(0), z.lte(mostOfLead))),
      held: z.optional(shapes.callbackHold),
      synthetic: z.optional(z.extend(shapes.callbackChanges, { copy_of: z.optional(uuid) })),
    })
    .check(
      z.refine(({ state, due_at }) => (state === 'pending') === (due_at !== undefined), {
        path: ['due_at'],
        message: 'must be there for a callback that is pending, and for no other',
      }),
    )
}

function leadShape(shapes: FileShapes) {
  return z.strictObject({
    lead_id: uuid,
    product_id: uuid,
    email,
    status: z.enum(leadStatuses),
    rejection_reason: z.optional(z.enum(rejectionReasons)),
    received_at: time,
    submission: leadSubmission(proseInterpretation).check(
      // The defaults that are filled in weigh less than the whitespace and the escapes that are gone.
      z.refine(lead => JSON.stringify(lead).length <= 2 * maxBodyBytes, `must be at most ${maxBodyBytes} bytes`),
    ),
    trace: shapes.trace.check(z.maxLength(50)),
    deliveries: list(
      z.strictObject({
        advertiser_id: uuid,
        name: text(100),
        decision: shapes.advertiserDecision,
        reasons: list(name, 20),
        backend: z.optional(z.omit(attemptShape(shapes), { answer: true, copies: true, fault_id: true })),
      }),
      100,
    ),
    // Checked one by one.
    events: list(z.unknown(), mostOfLead),
    callbacks: list(z.unknown(), mostOfLead),
  })
}

export const ownId = (ids: Pick<SeededIds, 'includes'>) => uuid.check(z.refine(id => ids.includes(id), notOwn))
/** The issue of an id that the tenant would not assign. */
const notOwn = 'must be an id that this tenant gives'

function requestShape({ request, trace }: FileShapes) {
  const { near_misses, issues, warnings } = request.shape
  return z.extend(z.omit(request, { request_id: true, request_body: true, response_body: true }), {
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
    query: z.optional(text(200)),
    request_headers: z.optional(headers(maxChainLength)),
    response_headers: z.optional(headers(200)),
  })
}

export interface ItemReader {
  readonly kind: Part['kind']
  readonly bounds: PartBounds
  readonly shape: z.ZodMiniType
  /** Keeps an item of the right shape, and reports anything else that is wrong with it. */
  take(item: never, report: (path: string, issue: string) => void): void
}

export type ListName = 'customers' | 'leads' | 'reports' | 'chains' | 'inbox' | 'requests'

const kibi = 1_024
/** Bytes of a mebibyte. */
export const mebi = 1_048_576
const manyItems = 100_000

/** The lists of a file, as far as they have been read. */
type Lists = Omit<SnapshotContent, 'documents'>

type IsFirst = (...names: string[]) => boolean

/** Returns the readers of all lists, and the content that they read. Leads come before anything that names them. */
export function createReaders(shapes: FileShapes, own: FileOwner) {
  const content: Lists = { customers: [], leads: [], reports: [], chains: {}, inbox: [], requests: [] }
  const seen = new Set<string>()
  const isFirst: IsFirst = (...names) => {
    const before = seen.size
    return seen.add(names.join(' ')).size > before
  }
  const readers: Record<ListName, ItemReader> = {
    leads: { ...listOf(manyItems, 4 * mebi), shape: leadShape(shapes), take: takeLead(shapes, own, content, isFirst) },
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

function customerReader(own: FileOwner, { customers }: Lists, isFirst: IsFirst): ItemReader {
  const shape = z.strictObject({
    product_id: uuid,
    email,
    lead_id: z.optional(ownId(own.ids.lead)),
    refused_at: z.optional(time),
  })
  return {
    ...listOf(manyItems, 4 * kibi),
    shape: shape.check(
      z.refine(
        ({ lead_id, refused_at }) => lead_id !== undefined || refused_at !== undefined,
        'must name the lead that has the address, or the time of its rejection',
      ),
    ),
    take(customer: Lists['customers'][number], report) {
      if (!isFirst('customer', customer.product_id, customer.email)) report('', 'must be there only once')
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
      if (!isLead(lead_id)) report('lead_id', 'must be the id of a lead of this file')
      if (!/^\d{1,2}$/.test(index)) report('report_id', 'must be the lead_id, a slash and a number')
      if (!isFirst('report', report_id)) report('report_id', 'must be there only once')
      reports.push(due)
    },
  }
}

/** The key of a chain: its words, and the hash of the address. */
const chainKey = new RegExp(`^\\S{1,${maxChainLength}} [0-9a-f]{16}$`)

function chainReader({ chains }: Lists): ItemReader {
  return {
    kind: 'object',
    bounds: { items: mostWaiting, itemBytes: 4 * kibi },
    shape: z.record(z.string(), count),
    take(chain: Record<string, number>, report) {
      for (const [key, applied] of Object.entries(chain)) {
        if (chainKey.test(key)) chains[key] = applied
        else report(key, 'must be the key of a chain')
      }
    },
  }
}

function inboxReader({ wholeNumber, mostInboxEntries, maxEntryBytes }: FileShapes, { inbox }: Lists): ItemReader {
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

/** Keeps a lead once its events and callbacks are checked too. */
function takeLead(shapes: FileShapes, { ids }: FileOwner, { leads }: Lists, isFirst: IsFirst) {
  const [event, callback] = [eventShape(shapes), callbackShape(shapes)]
  return (lead: WholeLead, report: (path: string, issue: string) => void) => {
    const { lead_id } = lead
    if (!ids.lead.includes(lead_id)) report('lead_id', notOwn)
    if (!isFirst('lead', lead_id)) report('lead_id', 'must be there only once')
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
      if (!isFirst('event', lead_id, each.advertiser_id, each.event)) report(path, 'must be there only once')
    })
    const callbacks = checked(callback, lead.callbacks, 'callbacks', ({ callback_id }, path) => {
      if (!ids.callback.includes(callback_id)) report(`${path}.callback_id`, notOwn)
      if (!isFirst('callback', callback_id)) report(`${path}.callback_id`, 'must be there only once')
    })
    leads.push({ ...lead, events, callbacks })
  }
}

/** Reads a value by its shape. Returns the value, or its issues below a path. */
export function readItem(
  shape: z.ZodMiniType,
  input: unknown,
  path: string,
): { value?: unknown; issues: FieldIssue[] } {
  const checked = checkInput(shape, input)
  if (!checked.issues) return { value: checked.value, issues: [] }
  const issues = fieldIssues(checked.issues, input).map(({ field, issue }) => ({
    field: field === 'body' ? path : path === '' ? field : `${path}.${field}`,
    issue,
  }))
  return { issues }
}
