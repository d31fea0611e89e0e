import type { CallbackState, LeadRecord } from '@lead-distribution/engine'
import type { CallbackHold, TenantDocuments } from '@lead-distribution/simulator'
import type { Generated } from 'kysely'

/** The tables as Kysely sees them. Times are milliseconds since 1970; `seq` is the order of adding. */
export interface Database {
  tenants: TenantsTable
  customers: CustomersTable
  leads: LeadsTable
  events: EventsTable
  callbacks: CallbacksTable
  inbox: InboxTable
  requests: RequestsTable
  reports: ReportsTable
  chains: ChainsTable
  documents: DocumentsTable
}

/** One row a tenant, and one a snapshot: it is a tenant at rest, which has all that the tenant had. */
interface TenantsTable {
  seq: Generated<number>
  /** The name; of a snapshot, the tenant's and its own with a slash between, which no name of a tenant holds. */
  tenant: string
  /** A `TenantRecord` as JSON. */
  record: string
  /** The tenant that this is a snapshot of. */
  snapshot_of: string | null
  /** Of a snapshot, real time. */
  saved_at: number | null
}

/** One row an e-mail address of a product; its key is what a claim competes for. */
interface CustomersTable {
  tenant: string
  product_id: string
  email: string
  lead_id: string | null
  refused_at: number | null
}

/** One row a lead. What nobody asks for by value is JSON: nothing is lost of it, and PostgreSQL takes it too. */
export interface LeadsTable {
  seq: Generated<number>
  tenant: string
  lead_id: string
  product_id: string
  email: string
  status: LeadRecord['status']
  rejection_reason: NonNullable<LeadRecord['rejection_reason']> | null
  received_at: number
  submission: string
  trace: string
  deliveries: string
}

/** One row an event; its key is what a claim competes for. */
export interface EventsTable {
  seq: Generated<number>
  tenant: string
  lead_id: string
  advertiser_id: string
  event: string
  recorded_at: number
  /** How it was reported, as JSON: name, form, ref, figures. */
  report: string
}

/** One row a callback. */
export interface CallbacksTable {
  seq: Generated<number>
  tenant: string
  callback_id: string
  lead_id: string
  event: string
  url: string
  state: CallbackState
  due_at: number | null
  /** Real time; null while nobody delivers it. */
  leased_until: number | null
  /** Every try so far, as JSON. */
  attempts: string
  held: CallbackHold | null
  resent_after: number | null
}

/** One row a callback that a tenant's inbox took. */
interface InboxTable {
  seq: Generated<number>
  tenant: string
  /** An `InboxEntry` as JSON. */
  entry: string
}

/** One row for all requests that were added together: the journal is written on the hot path. */
export interface RequestsTable {
  tenant: string
  /** The number of the first. */
  first: number
  /** The number of the last. */
  last: number
  /** A list of `RequestRecord` as JSON, the oldest first. */
  entries: string
}

/** One row a report that is going to be made. */
export interface ReportsTable {
  seq: Generated<number>
  tenant: string
  report_id: string
  lead_id: string
  advertiser_id: string
  event: string
  due_at: number
}

/** One row a chain of scenarios that was played. */
interface ChainsTable {
  tenant: string
  /** What it is played under. */
  chain: string
  plays: number
}

/** One row a document. */
interface DocumentsTable {
  tenant: string
  name: keyof TenantDocuments
  /** As JSON. */
  value: string
}
