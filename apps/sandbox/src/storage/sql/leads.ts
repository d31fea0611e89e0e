import type { LeadRecord } from '@lead-distribution/engine'
import { type SandboxTables, withResponse } from '@lead-distribution/simulator'
import { callbackStatements } from './callbacks.ts'
import {
  afterAllTimes,
  beforeAllTimes,
  insertion,
  type Page,
  pageOf,
  statement,
  type TableContext,
  type TenantKey,
} from './statement.ts'

type LeadStatus = LeadRecord['status']

interface SearchParams extends Page {
  rows: number
  from: number
  to: number
  status: LeadStatus | null
  product_id: string | null
  reason: string | null
  email_pattern: string | null
}

interface LeadKey extends TenantKey {
  lead_id: string
}

/** A row of `leads`. Fields that no query searches by are JSON. */
export interface LeadRow extends LeadKey {
  product_id: string
  email: string
  status: LeadStatus
  rejection_reason: NonNullable<LeadRecord['rejection_reason']> | null
  received_at: number
  submission: string
  trace: string
  deliveries: string
}

interface LeadCountRow extends Pick<LeadRow, 'status' | 'rejection_reason'> {
  span: number
  count: number
  first: number
}

/** The columns of a lead to remove. */
export type OldLead = Pick<LeadRow, 'lead_id' | 'product_id' | 'email' | 'received_at'>

/** Statements for leads. */
export const leadStatements = {
  addLead: insertion<LeadRow>(
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
  setDeliveries: statement<LeadKey & { deliveries: string }>(
    'update leads set deliveries = :deliveries where tenant = :tenant and lead_id = :lead_id',
  ),
  oldestLeads: statement<TenantKey & { through: string; limit: number }, OldLead>(
    `select lead_id, product_id, email, received_at from leads where tenant = :tenant and lead_id <= :through
     order by lead_id limit :limit`,
  ),
  listLeads: statement<Page, LeadRow>(
    'select * from leads where tenant = :tenant and lead_id < :before order by lead_id desc limit :limit',
  ),
  listLeadsOfStatus: statement<Page & { status: LeadStatus }, LeadRow>(
    `select * from leads where tenant = :tenant and status = :status and lead_id < :before
     order by lead_id desc limit :limit`,
  ),
  /** An address has few claims, one for each product, but any number of rejected leads. */
  listLeadsOfEmail: statement<Page & { email: string; status: LeadStatus | null }, LeadRow>(
    `select * from leads where tenant = :tenant and lead_id in (
       select lead_id from customers where tenant = :tenant and email = :email
       union all
       select lead_id from (
         select lead_id from leads
         where tenant = :tenant and email = :email and status = 'rejected' and lead_id < :before
         order by lead_id desc limit :limit) as rejected)
       and lead_id < :before and (status = :status or :status is null)
     order by lead_id desc limit :limit`,
  ),
  /** An index holds all that is compared, so that only what is found is read. */
  searchLeads: statement<SearchParams, LeadRow>(
    `select * from leads where tenant = :tenant and lead_id in (
       select lead_id from (
         select lead_id, status, rejection_reason, product_id, email, received_at from leads
         where tenant = :tenant and lead_id < :before order by lead_id desc limit :rows) as newest
       where received_at >= :from and received_at < :to
         and (status = :status or :status is null) and (product_id = :product_id or :product_id is null)
         and (rejection_reason = :reason or :reason is null)
         and (email like :email_pattern escape '!' or :email_pattern is null)
       order by lead_id desc limit :limit)
     order by lead_id desc`,
  ),
  /** An index holds all that is counted. The division is one of whole numbers: SQLite has to be told. */
  countLeads: statement<TenantKey & { from: number; span: number; rows: number }, LeadCountRow>(
    `select cast((received_at - :from) / :span as bigint) as span, status, rejection_reason,
       count(*) as count, min(received_at) as first
     from (select received_at, status, rejection_reason from leads where tenant = :tenant
       order by lead_id desc limit :rows) as newest
     where received_at >= :from group by 1, 2, 3`,
  ),
  /** The last of so many leads. */
  nthLead: statement<TenantKey & { before: string; skip: number }, { lead_id: string }>(
    'select lead_id from leads where tenant = :tenant and lead_id < :before order by lead_id desc limit 1 offset :skip',
  ),
}

/** One tenant's table of leads. */
export const leadTables = {
  async addLead(lead) {
    await this.db.write(leadStatements.addLead, toLeadRow(this.tenant, lead))
  },
  async findLead(lead_id) {
    const row = await this.db.first(leadStatements.findLead, { tenant: this.tenant, lead_id })
    return row && fromLeadRow(row)
  },
  async recordBackendResponse(lead_id, advertiserId, answer) {
    const { tenant } = this
    const row = await this.db.first(leadStatements.findLead, { tenant, lead_id })
    if (!row) return
    const deliveries = JSON.stringify(withResponse(JSON.parse(row.deliveries), advertiserId, answer))
    await this.db.run(leadStatements.setDeliveries, { tenant, lead_id, deliveries })
  },
  async newestIds() {
    const { tenant } = this
    const lead = await this.db.first(leadStatements.newestLead, { tenant })
    const callback = await this.db.first(callbackStatements.newestCallback, { tenant })
    return { lead_id: lead?.lead_id, callback_id: callback?.callback_id }
  },
  async listLeads({ status, email, ...filter }) {
    const { db, tenant } = this
    const page = pageOf(tenant, filter)
    if (email !== undefined)
      return (await db.all(leadStatements.listLeadsOfEmail, { email, status: status ?? null, ...page })).map(
        fromLeadRow,
      )
    if (status !== undefined)
      return (await db.all(leadStatements.listLeadsOfStatus, { status, ...page })).map(fromLeadRow)
    return (await db.all(leadStatements.listLeads, page)).map(fromLeadRow)
  },
  async searchLeads({ rows, from, to, status, product_id, reason, email, email_part, ...filter }) {
    const { db, tenant } = this
    const page = pageOf(tenant, filter)
    const found = await db.all(leadStatements.searchLeads, {
      ...page,
      rows,
      from: from ?? beforeAllTimes,
      to: to ?? afterAllTimes,
      status: status ?? null,
      product_id: product_id ?? null,
      reason: reason ?? null,
      email_pattern: patternOf(email, email_part),
    })
    const isFull = found.length === page.limit
    const last = isFull ? found.at(-1) : await db.first(leadStatements.nthLead, { ...page, skip: rows - 1 })
    return { leads: found.map(fromLeadRow), next: last?.lead_id }
  },
  async countLeads({ from, span, rows }) {
    const counts = await this.db.all(leadStatements.countLeads, { tenant: this.tenant, from, span, rows })
    return counts.map(({ rejection_reason, ...count }) => ({
      ...count,
      ...(rejection_reason !== null && { reason: rejection_reason }),
    }))
  },
} satisfies Partial<SandboxTables> & ThisType<TableContext>

/** The pattern for addresses: a whole address takes precedence over a part. */
function patternOf(email: string | undefined, part: string | undefined): string | null {
  if (email !== undefined) return literal(email)
  return part === undefined ? null : `%${literal(part)}%`
}

/** A text as a pattern that only it matches. */
const literal = (text: string) => text.replaceAll(/[%_!]/g, '!$&')

/** A lead as its row holds it. */
function toLeadRow(tenant: string, lead: LeadRecord): LeadRow {
  const { lead_id, product_id, email, status, received_at, rejection_reason = null } = lead
  return {
    tenant,
    lead_id,
    product_id,
    email,
    status,
    rejection_reason,
    received_at,
    submission: JSON.stringify(lead.submission),
    trace: toTraceColumn(lead.trace),
    deliveries: JSON.stringify(lead.deliveries),
  }
}

function fromLeadRow(row: LeadRow): LeadRecord {
  const { lead_id, product_id, email, status, received_at, rejection_reason } = row
  return {
    lead_id,
    product_id,
    email,
    status,
    received_at,
    ...(rejection_reason === null ? {} : { rejection_reason }),
    submission: JSON.parse(row.submission),
    trace: fromTraceColumn(row.trace),
    deliveries: JSON.parse(row.deliveries),
  }
}

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
