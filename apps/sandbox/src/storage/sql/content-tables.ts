import type { Database } from './database.ts'

/** A table that holds what tenants have. */
export type ContentTable = Exclude<keyof Database, 'tenants'>

/** What a copy takes along: leases are not kept, and the rows are numbered anew. */
type Copied<Table extends ContentTable> = Exclude<keyof Database[Table], 'seq' | 'tenant' | 'leased_until'>

interface Content<Table extends ContentTable> {
  /** Every one; a record, so that the compiler misses the one that is forgotten. */
  readonly columns: Readonly<Record<Copied<Table>, true>>
  /** The order that the copy keeps; where no order of adding matters, that of an index. */
  readonly order: keyof Database[Table] & string
}

/** All that a tenant has, table by table. */
export const contentTables: { readonly [Table in ContentTable]: Content<Table> } = {
  customers: { columns: { product_id: true, email: true, lead_id: true, refused_at: true }, order: 'product_id' },
  leads: {
    columns: {
      ...{ lead_id: true, product_id: true, email: true, status: true, rejection_reason: true, received_at: true },
      ...{ submission: true, trace: true, deliveries: true },
    },
    order: 'lead_id',
  },
  events: {
    columns: { lead_id: true, advertiser_id: true, event: true, recorded_at: true, report: true },
    order: 'seq',
  },
  callbacks: {
    columns: {
      ...{ callback_id: true, lead_id: true, event: true, url: true, state: true, due_at: true, attempts: true },
      ...{ held: true, resent_after: true },
    },
    order: 'seq',
  },
  inbox: { columns: { entry: true }, order: 'seq' },
  requests: { columns: { first: true, last: true, entries: true }, order: 'first' },
  reports: {
    columns: { report_id: true, lead_id: true, advertiser_id: true, event: true, due_at: true },
    order: 'seq',
  },
  chains: { columns: { chain: true, plays: true }, order: 'chain' },
  documents: { columns: { name: true, value: true }, order: 'name' },
}

/** The names of those tables. */
export const contentTableNames = Object.keys(contentTables) as ContentTable[]
