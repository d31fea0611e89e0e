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

// Everything that is stored of a tenant besides its record. Times are milliseconds since 1970 on the tenant's clock.

/** One address within one product. */
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

/** A trace without the names that every step repeats: they would be half of a stored lead. */
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
      // JSON has null where a value in the middle is left out; no check has null for a value.
      ...(input == null ? {} : { input }),
      ...(threshold == null ? {} : { threshold }),
      ...(hint == null ? {} : { hint }),
    })),
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
  packed: { trace: packedTrace },
  key: ['lead_id'],
  keyCovers: ['status', 'rejection_reason', 'product_id', 'email', 'received_at'],
  indexes: {
    byStatus: { on: ['status', 'lead_id'] },
    // The other leads of an address are found by its customers.
    rejected: { on: ['email', 'lead_id'], where: { status: 'rejected' } },
  },
})

export const events = table<EventRecord>()('events', {
  columns: { lead_id: 'text', advertiser_id: 'text', event: 'text' },
  key: ['lead_id', 'advertiser_id', 'event'],
  indexes: { byLead: { on: ['lead_id', 'seq'] } },
  copyBy: 'byLead',
})

/** A callback with its lease. */
export interface StoredCallback extends SandboxCallback {
  /** The time when the lease ends, on the clock of leases; undefined while no process delivers it. */
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
    /** 1 if it is delivered in the order of its lead; null if it neither waits for others nor do they wait for it. */
    in_order: { type: 'integer', of: callback => (isInOrder(callback) ? 1 : null) },
    tried_at: { type: 'integer', of: ({ attempts }) => attempts.at(-1)?.at },
    /** The last attempt, if the callback waits for a retry of it. */
    retry_of: {
      type: 'integer',
      of: ({ attempts, resent_after = 0 }) => (attempts.length > resent_after ? attempts.at(-1)?.at : null),
    },
  },
  key: ['callback_id'],
  indexes: {
    byLead: { on: ['lead_id', 'seq'] },
    byState: { on: ['state', 'callback_id'] },
    // Only what is pending: delivered callbacks cost nothing here.
    due: { on: ['due_at', 'seq'], where: { state: 'pending' } },
  },
  copyBy: 'byLead',
  leases: ['leased_until'],
})

/** Returns true if a callback is delivered after the older ones of its lead. */
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

/** How many scenarios of a chain were applied. */
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

/** Requests that were added to the journal together: it is written on the hot path. */
export interface RequestBatch {
  /** The number of the first request. */
  first: number
  /** The number of the last request. */
  last: number
  entries: readonly RequestEntry[]
}

export const requests = table<RequestBatch>()('requests', {
  columns: { first: 'integer', last: 'integer' },
  // By the last: one range has all batches that are below a number as a whole.
  key: ['last'],
  isFollowed: true,
})

/** The bodies of a batch of requests, which are kept for fewer of them. */
export interface BodyBatch extends Omit<RequestBatch, 'entries'> {
  bodies: readonly (CallBodies | null)[]
}

export const bodies = table<BodyBatch>()('bodies', {
  columns: { first: 'integer', last: 'integer' },
  key: ['last'],
})

/** The rejections of a batch of requests, each at the place of its request. It holds e-mail addresses, which the journal masks. */
export interface RejectionBatch extends Omit<RequestBatch, 'entries'> {
  rejections: readonly (RejectionEntry | null)[]
}

export const rejections = table<RejectionBatch>()('rejections', {
  columns: { first: 'integer', last: 'integer' },
  key: ['last'],
})

/** How often an outcome, a reason, an error or an event was seen, by `kind/name`. */
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
  /** JSON. As it is stored: untrusted. */
  value: string
}

export const documents = table<StoredDocument>()('documents', {
  columns: { name: 'text', value: 'text' },
  isFlat: true,
  key: ['name'],
})

/** The state of a transaction that the methods of tables share. */
export interface TableContext {
  readonly db: Transaction
  /** The customer that the transaction has locked, as it is stored. */
  locked?: StoredCustomer | undefined
}

/** Every table. */
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
