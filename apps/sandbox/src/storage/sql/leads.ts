import type { CustomerRecord, EventRecord, LeadRecord } from '@lead-distribution/engine'
import type { SandboxTables } from '@lead-distribution/simulator'
import { callbackStatements } from './callbacks.ts'
import { type Page, pageOf, statement, type TableContext, type TenantKey } from './statement.ts'

type Step = LeadRecord['trace'][number]

/** A step with only its values: names that every step repeats would be half of a lead's row. */
type Values = [
  check: Step['check'],
  verdict: Step['verdict'],
  input?: unknown,
  threshold?: unknown,
  hint?: Step['hint'],
]

/** A trace as its column holds it: a list of lists, their trailing values left out. */
export function toTraceColumn(trace: readonly Step[]): string {
  return JSON.stringify(
    trace.map(({ check, verdict, input, threshold, hint }): Values => {
      if (hint !== undefined) return [check, verdict, input, threshold, hint]
      if (threshold !== undefined) return [check, verdict, input, threshold]
      return input === undefined ? [check, verdict] : [check, verdict, input]
    }),
  )
}

/** The trace of a column. */
export function fromTraceColumn(column: string): Step[] {
  return (JSON.parse(column) as Values[]).map(([check, verdict, input, threshold, hint]) => ({
    check,
    verdict,
    // JSON has null where a value in the middle is left out; no check has null for a value.
    ...(input == null ? {} : { input }),
    ...(threshold == null ? {} : { threshold }),
    ...(hint == null ? {} : { hint }),
  }))
}

interface CustomerKey extends TenantKey {
  product_id: string
  email: string
}

interface LeadKey extends TenantKey {
  lead_id: string
}

/** A row of `leads`. Fields that no query searches by are JSON. */
export interface LeadRow extends LeadKey {
  product_id: string
  email: string
  status: LeadRecord['status']
  rejection_reason: NonNullable<LeadRecord['rejection_reason']> | null
  received_at: number
  submission: string
  trace: string
  deliveries: string
}

/** A row of `events`. `report` is how the event was reported, as JSON. */
interface EventRow extends LeadKey {
  advertiser_id: string
  event: string
  recorded_at: number
  report: string
}

/** What is known of a lead that is to be removed. */
export type OldLead = Pick<LeadRow, 'lead_id' | 'product_id' | 'email' | 'received_at'>

/** Statements for customers, leads and events. */
export const leadStatements = {
  findCustomer: statement<CustomerKey, { lead_id: string | null; refused_at: number | null }>(
    `select lead_id, refused_at from customers
     where tenant = :tenant and product_id = :product_id and email = :email`,
  ),
  /** Changes no row where another lead has the address. */
  claimCustomer: statement<CustomerKey & LeadKey>(
    `insert into customers (tenant, product_id, email, lead_id) values (:tenant, :product_id, :email, :lead_id)
     on conflict (tenant, product_id, email) do update set lead_id = excluded.lead_id
     where customers.lead_id is null`,
  ),
  markRefused: statement<CustomerKey & { refused_at: number }>(
    `insert into customers (tenant, product_id, email, refused_at) values (:tenant, :product_id, :email, :refused_at)
     on conflict (tenant, product_id, email) do update set refused_at = excluded.refused_at`,
  ),
  addLead: statement<LeadRow>(
    `insert into leads
       (tenant, lead_id, product_id, email, status, rejection_reason, received_at, submission, trace, deliveries)
     values (:tenant, :lead_id, :product_id, :email, :status, :rejection_reason, :received_at, :submission, :trace,
       :deliveries)`,
  ),
  /** Each new id is greater than the last, and there is an index of them. */
  newestLead: statement<TenantKey, { lead_id: string }>(
    'select lead_id from leads where tenant = :tenant order by lead_id desc limit 1',
  ),
  findLead: statement<LeadKey, LeadRow>('select * from leads where tenant = :tenant and lead_id = :lead_id'),
  oldestLeads: statement<TenantKey & { through: string; limit: number }, OldLead>(
    `select lead_id, product_id, email, received_at from leads where tenant = :tenant and lead_id <= :through
     order by lead_id limit :limit`,
  ),
  listLeads: statement<Page & { status: LeadRecord['status'] | null; email: string | null }, LeadRow>(
    `select * from leads where tenant = :tenant and lead_id < :before
       and (:status is null or status = :status) and (:email is null or email = :email)
     order by lead_id desc limit :limit`,
  ),
  /** Changes no row where the lead has the event of this advertiser already. */
  claimEvent: statement<EventRow>(
    `insert into events (tenant, lead_id, advertiser_id, event, recorded_at, report)
     values (:tenant, :lead_id, :advertiser_id, :event, :recorded_at, :report)
     on conflict (tenant, lead_id, advertiser_id, event) do nothing`,
  ),
  listEvents: statement<LeadKey, EventRow>(
    'select * from events where tenant = :tenant and lead_id = :lead_id order by seq',
  ),
}

/** One tenant's tables of customers, leads and events. */
export const leadTables = {
  async findCustomer(product_id, email) {
    const row = await this.db.first(leadStatements.findCustomer, { tenant: this.tenant, product_id, email })
    if (!row) return undefined
    const customer: CustomerRecord = {}
    if (row.lead_id !== null) customer.lead_id = row.lead_id
    if (row.refused_at !== null) customer.refused_at = row.refused_at
    return customer
  },
  async claimCustomer(product_id, email, lead_id) {
    const changed = await this.db.run(leadStatements.claimCustomer, { tenant: this.tenant, product_id, email, lead_id })
    return changed === 1
  },
  async markRefused(product_id, email, refused_at) {
    await this.db.run(leadStatements.markRefused, { tenant: this.tenant, product_id, email, refused_at })
  },
  async addLead(lead) {
    await this.db.run(leadStatements.addLead, toLeadRow(this.tenant, lead))
  },
  async findLead(lead_id) {
    const row = await this.db.first(leadStatements.findLead, { tenant: this.tenant, lead_id })
    return row && fromLeadRow(row)
  },
  async newestIds() {
    const { tenant } = this
    const lead = await this.db.first(leadStatements.newestLead, { tenant })
    const callback = await this.db.first(callbackStatements.newestCallback, { tenant })
    return { lead_id: lead?.lead_id, callback_id: callback?.callback_id }
  },
  async listLeads({ status = null, email = null, ...page }) {
    const rows = await this.db.all(leadStatements.listLeads, { status, email, ...pageOf(this.tenant, page) })
    return rows.map(fromLeadRow)
  },
  async claimEvent({ lead_id, advertiser_id, event, recorded_at, ...report }) {
    const row = { tenant: this.tenant, lead_id, advertiser_id, event, recorded_at, report: JSON.stringify(report) }
    return (await this.db.run(leadStatements.claimEvent, row)) === 1
  },
  async listEvents(lead_id) {
    return (await this.db.all(leadStatements.listEvents, { tenant: this.tenant, lead_id })).map(fromEventRow)
  },
} satisfies Partial<SandboxTables> & ThisType<TableContext>

/** A lead as its row holds it. */
export function toLeadRow(tenant: string, lead: LeadRecord): LeadRow {
  const { lead_id, product_id, email, status, received_at, rejection_reason = null } = lead
  return {
    ...{ tenant, lead_id, product_id, email, status, rejection_reason, received_at },
    submission: JSON.stringify(lead.submission),
    trace: toTraceColumn(lead.trace),
    deliveries: JSON.stringify(lead.deliveries),
  }
}

function fromLeadRow(row: LeadRow): LeadRecord {
  const { lead_id, product_id, email, status, received_at, rejection_reason } = row
  return {
    ...{ lead_id, product_id, email, status, received_at },
    ...(rejection_reason === null ? {} : { rejection_reason }),
    submission: JSON.parse(row.submission),
    trace: fromTraceColumn(row.trace),
    deliveries: JSON.parse(row.deliveries),
  }
}

function fromEventRow({ lead_id, advertiser_id, event, recorded_at, report }: EventRow): EventRecord {
  return { lead_id, advertiser_id, event, recorded_at, ...JSON.parse(report) }
}
