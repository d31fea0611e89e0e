import type { CustomerRecord, EventRecord, LeadRecord, TraceStep } from '@lead-distribution/engine'
import type {
  CallBodies,
  NumberedInboxEntry,
  RejectionEntry,
  RequestEntry,
  SandboxCallback,
  ScheduledReport,
  TenantDocuments,
} from './records.ts'
import { type Packing, type Table, type Transaction, table } from './table.ts'

// The tables of a tenant's stored data, besides its record. Times are milliseconds since 1970 on the tenant's clock.

/** An e-mail address within a product. */
export interface StoredCustomer extends CustomerRecord {
  email: string
  product_id: string
}

export const customers = table<StoredCustomer>()('customers', {
  columns: { email: 'text', product_id: 'text', lead_id: 'text', refused_at: 'integer' },
  isFlat: true,
  key: ['email', 'product_id'],
})

type TraceValues = [check: string, verdict: TraceStep['verdict'], input?: unknown, threshold?: unknown, hint?: string]

/** A trace without its repeated field names, which would be half of a stored lead. */
export const packedTrace: Packing = {
  pack: trace =>
    (trace as readonly TraceStep[]).map(({ check, verdict, input, threshold, hint }): TraceValues => {
      if (hint !== undefined) return [check, verdict, input, threshold, hint]
      if (threshold !== undefined) return [check, verdict, input, threshold]
      return input === undefined ? [check, verdict] : [check, verdict, input]
    }),
  unpack: packed =>
    (packed as readonly TraceValues[]).map(([check, verdict, input, threshold, hint]) => ({
      check,
      verdict,
      // JSON turns an omitted value in the middle into null. No check uses null as a value.
      ...(input == null ? {} : { input }),
      ...(threshold == null ? {} : { threshold }),
      ...(hint == null ? {} : { hint }),
    })),
}

/** The maximum length of each searchable text, so that a row of the covering index stays small. */
const maxSearchable = 100

/**
 * Returns a text as searches compare it: in lower case and without accents, so that `garcia` finds García. Invisible
 * characters, some of which databases cannot store, are dropped.
 */
export function searchable(text: string): string {
  const folded = text.slice(0, maxSearchable).toLowerCase().normalize('NFD')
  return folded.replaceAll(/[\p{M}\p{Cc}\p{Cf}\p{Cs}]/gu, '').normalize('NFC')
}

export const leads = table<LeadRecord>()('leads', {
  columns: {
    lead_id: 'text',
    product_id: 'text',
    email: 'text',
    status: 'text',
    rejection_reason: 'text',
    received_at: 'integer',
  },
  derived: {
    /** The customer's name and, on a second line, `external_id`. */
    customer: {
      type: 'text',
      of: ({ submission: { customer } }) => [nameOf(customer), customer.external_id ?? ''].map(searchable).join('\n'),
    },
  },
  packed: { trace: packedTrace },
  key: ['lead_id'],
  keyCovers: ['status', 'rejection_reason', 'product_id', 'email', 'received_at', 'customer'],
  indexes: {
    byStatus: { on: ['status', 'lead_id'] },
    // The customers table finds the other leads of an address.
    rejected: { on: ['email', 'lead_id'], where: { status: 'rejected' } },
  },
})

/** Returns the customer's whole name. */
export function nameOf({ personal_data }: LeadRecord['submission']['customer']): string {
  const { first_name, last_name, second_surname } = personal_data
  return [first_name, last_name, second_surname].filter(Boolean).join(' ')
}

export const events = table<EventRecord>()('events', {
  columns: { lead_id: 'text', advertiser_id: 'text', event: 'text' },
  key: ['lead_id', 'advertiser_id', 'event'],
  indexes: { byLead: { on: ['lead_id', 'seq'] } },
  copyBy: 'byLead',
})

/** A callback with its lease. */
export interface StoredCallback extends SandboxCallback {
  /** The expiry of the lease, on the lease clock; undefined while no process has the lease. */
  leased_until?: number | undefined
}

export const callbacks = table<StoredCallback>()('callbacks', {
  columns: {
    callback_id: 'text',
    lead_id: 'text',
    state: 'text',
    due_at: 'integer',
    held: 'text',
    leased_until: 'integer',
  },
  derived: {
    /** 1 if the callback is delivered in its lead's order; null if it is exempt. */
    in_order: { type: 'integer', of: callback => (isInOrder(callback) ? 1 : null) },
    tried_at: { type: 'integer', of: ({ attempts }) => attempts.at(-1)?.at },
    /** The last attempt, if the callback is waiting for a retry. */
    retry_of: {
      type: 'integer',
      of: ({ attempts, resent_after = 0 }) => (attempts.length > resent_after ? attempts.at(-1)?.at : null),
    },
  },
  key: ['callback_id'],
  indexes: {
    byLead: { on: ['lead_id', 'seq'] },
    byState: { on: ['state', 'callback_id'] },
    // Only pending callbacks, so that delivered ones cost nothing here.
    due: { on: ['due_at', 'seq'], where: { state: 'pending' } },
  },
  copyBy: 'byLead',
  leases: ['leased_until'],
})

/** Returns true if a callback waits for the older ones of its lead. */
export function isInOrder({ held, synthetic }: SandboxCallback): boolean {
  return held !== 'reorder' && !synthetic
}

export const reports = table<ScheduledReport>()('reports', {
  columns: { report_id: 'text', lead_id: 'text', advertiser_id: 'text', event: 'text', due_at: 'integer' },
  isFlat: true,
  key: ['report_id'],
  indexes: { due: { on: ['due_at', 'seq'] } },
  copyBy: 'due',
})

/** The number of a chain's scenarios that have been applied. */
export interface StoredChain {
  chain: string
  applied: number
}

export const chains = table<StoredChain>()('chains', {
  columns: { chain: 'text', applied: 'integer' },
  isFlat: true,
  key: ['chain'],
})

export const inbox = table<NumberedInboxEntry>()('inbox', { columns: { number: 'integer' }, key: ['number'] })

/** A batch of journal requests. Batched because the journal is on the hot path. */
export interface RequestBatch {
  /** The number of the first request. */
  first: number
  /** The number of the last request. */
  last: number
  entries: readonly RequestEntry[]
}

export const requests = table<RequestBatch>()('requests', {
  columns: { first: 'integer', last: 'integer' },
  // By the last number: a single range then selects all batches entirely below a number.
  key: ['last'],
  isFollowed: true,
})

/** The bodies of a batch of requests, stored for fewer requests than the entries. */
export interface BodyBatch extends Omit<RequestBatch, 'entries'> {
  bodies: readonly (CallBodies | null)[]
}

export const bodies = table<BodyBatch>()('bodies', {
  columns: { first: 'integer', last: 'integer' },
  key: ['last'],
})

/** The rejections of a batch of requests, at the same positions. Contains e-mail addresses, which the journal masks. */
export interface RejectionBatch extends Omit<RequestBatch, 'entries'> {
  rejections: readonly (RejectionEntry | null)[]
}

export const rejections = table<RejectionBatch>()('rejections', {
  columns: { first: 'integer', last: 'integer' },
  key: ['last'],
})

/** The number of times an outcome, reason, error or event was seen, by `kind/name`. */
export interface StoredCoverage {
  name: string
  count: number
}

export const coverage = table<StoredCoverage>()('coverage', {
  columns: { name: 'text', count: 'integer' },
  isFlat: true,
  key: ['name'],
})

export interface StoredDocument {
  name: keyof TenantDocuments
  /** Untrusted JSON. */
  value: string
}

export const documents = table<StoredDocument>()('documents', {
  columns: { name: 'text', value: 'text' },
  isFlat: true,
  key: ['name'],
})

/** The transaction state that the table methods share. */
export interface TableContext {
  readonly db: Transaction
  /** The stored customer that the transaction has locked. */
  locked?: StoredCustomer | undefined
}

/** All tables. */
export const tables: readonly Table[] = [
  customers,
  leads,
  events,
  callbacks,
  reports,
  chains,
  inbox,
  requests,
  bodies,
  rejections,
  coverage,
  documents,
]
