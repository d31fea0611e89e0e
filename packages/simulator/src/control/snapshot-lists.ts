import { type FieldIssue, knownStatuses } from '@lead-distribution/contract'
import { checkInput, fieldIssues, uuid } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { mostWaiting, type SnapshotContent, type WholeLead } from '../tenants/snapshot-content.ts'
import type { Part, PartBounds } from './json-parts.ts'
import {
  callbackShape,
  count,
  email,
  eventShape,
  type FileOwner,
  leadShape,
  notOwn,
  ownId,
  requestShape,
  type SharedShapes,
  text,
  time,
} from './snapshot-shapes.ts'

/** Reads the items of one list of a file. */
export interface ItemReader {
  readonly kind: Part['kind']
  readonly bounds: PartBounds
  readonly shape: z.ZodMiniType
  /** Reports what is wrong with an item of the right shape besides, and keeps it. */
  take(item: never, report: (path: string, issue: string) => void): void
}

/** The lists of a file. */
export type ListName = 'customers' | 'leads' | 'reports' | 'chains' | 'inbox' | 'requests'

const kibi = 1_024
/** Bytes of a mebibyte. */
export const mebi = 1_048_576
const manyItems = 100_000

/** The lists of a file as far as they are read. */
type Lists = Omit<SnapshotContent, 'documents'>

/** Returns true for the first of its kind with these names. */
type IsFirst = (...names: string[]) => boolean

/** The readers of all lists, and what they have read. Leads come before what names them. */
export function createReaders(shapes: SharedShapes, own: FileOwner) {
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

/** Takes a lead once its events and callbacks are checked, too. */
function takeLead(shapes: SharedShapes, { ids }: FileOwner, { leads }: Lists, isFirst: IsFirst) {
  const [event, callback] = [eventShape(shapes), callbackShape(shapes)]
  return (lead: WholeLead, report: (path: string, issue: string) => void) => {
    const { lead_id } = lead
    if (!ids.lead.includes(lead_id)) report('lead_id', notOwn)
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
      if (!ids.callback.includes(callback_id)) report(`${path}.callback_id`, notOwn)
      if (!isFirst('callback', callback_id)) report(`${path}.callback_id`, 'is there twice')
    })
    leads.push({ ...lead, events, callbacks })
  }
}

/** A value as its shape has it, or its issues below a path. */
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
