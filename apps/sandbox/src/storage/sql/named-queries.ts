import {
  type appendRequests,
  type bringForward,
  type CallbackCount,
  callbacks as callbacksTable,
  type countCallbacks,
  type countLeads,
  type dueCallbacks,
  type LeadCount,
  leads as leadsTable,
  type limitRetries,
  type NamedQuery,
  type nextDueCallback,
  searchable,
  type searchLeads,
} from '@lead-distribution/simulator'
import { storedColumns } from './schema.ts'
import { statement, type TenantContext } from './statement.ts'
import { fromRow, type Row } from './table-statements.ts'

/** Runs a named query in SQL. */
type InSql<Query> =
  Query extends NamedQuery<infer Params, infer Found>
    ? (context: TenantContext, params: Params) => Promise<Found[]>
    : never

const leadColumns = storedColumns(leadsTable).join(', ')

/** Reads only the covering index. The cast makes SQLite return an integer, like PostgreSQL. */
const countLeadsStatement = statement<
  Row,
  Omit<LeadCount, 'reason'> & { rejection_reason: LeadCount['reason'] | null }
>(
  `select cast((received_at - :from) / :span as bigint) as span, status, rejection_reason,
     count(*) as count, min(received_at) as first
   from (select received_at, status, rejection_reason from leads where tenant = :tenant
     order by lead_id desc limit :rows) as newest
   where received_at >= :from group by 1, 2, 3`,
)

const countInSql: InSql<typeof countLeads> = async ({ db, tenant }, { from, span, rows }) => {
  const counts = await db.all(countLeadsStatement, { tenant, from, span, rows })
  return counts.map(({ rejection_reason, ...count }) => ({
    ...count,
    ...(rejection_reason != null && { reason: rejection_reason }),
  }))
}

/** The index covers all conditions, so that only matching rows are read. */
const searchStatement = statement<Row, Row>(
  `select ${leadColumns} from leads where tenant = :tenant and lead_id in (
     select lead_id from (
       select lead_id, status, rejection_reason, product_id, email, received_at, customer from leads
       where tenant = :tenant and lead_id < :before order by lead_id desc limit :rows) as newest
     where received_at >= :from and received_at < :to
       and (status = :status or :status is null) and (product_id = :product_id or :product_id is null)
       and (rejection_reason = :reason or :reason is null)
       and (email = :email or :email is null)
       and (email like :address_part escape '!' or customer like :customer_part escape '!' or :customer_part is null)
       and (customer like :external_id escape '!' or :external_id is null)
     order by lead_id desc limit :limit)
   order by lead_id desc`,
)
/** The last of that many leads. */
const nthLead = statement<Row, { lead_id: string }>(
  'select lead_id from leads where tenant = :tenant and lead_id < :before order by lead_id desc limit 1 offset :skip',
)

/** Sorts after every id in UTF-8. */
const afterAllIds = '\uffff'

const searchInSql: InSql<typeof searchLeads> = async ({ db, tenant }, search) => {
  const {
    rows,
    from,
    to,
    status,
    product_id,
    reason,
    email,
    customer,
    external_id,
    before = afterAllIds,
    limit,
  } = search
  const found = await db.all(searchStatement, {
    tenant,
    before,
    rows,
    from: from ?? Number.MIN_SAFE_INTEGER,
    to: to ?? Number.MAX_SAFE_INTEGER,
    status: status ?? null,
    product_id: product_id ?? null,
    reason: reason ?? null,
    email: email ?? null,
    address_part: customer === undefined ? null : `%${literal(customer.toLowerCase())}%`,
    customer_part: customer === undefined ? null : `%${literal(searchable(customer))}%`,
    external_id: external_id === undefined ? null : `%\n${literal(searchable(external_id))}`,
    limit,
  })
  const leads = found.map(row => fromRow(leadsTable, row))
  const last = found.length === limit ? leads.at(-1) : await db.first(nthLead, { tenant, before, skip: rows - 1 })
  return [...leads.map(lead => ({ lead })), ...(last ? [{ last: last.lead_id }] : [])]
}

/** Escapes a text as a pattern that matches only the text itself. */
const literal = (text: string) => text.replaceAll(/[%_!]/g, '!$&')

const countCallbacksStatement = statement<Row, { state: CallbackCount['state']; count: number; first: number | null }>(
  `select state, count(*) as count, min(tried_at) as first
   from (select state, tried_at from callbacks where tenant = :tenant order by callback_id desc limit :rows) as newest
   where state = 'pending' or tried_at >= :from group by state`,
)

const countCallbacksInSql: InSql<typeof countCallbacks> = async ({ db, tenant }, { from, rows }) => {
  const counts = await db.all(countCallbacksStatement, { tenant, from, rows })
  return counts.map(({ first, ...count }) => ({ ...count, ...(first !== null && { first }) }))
}

/**
 * Pending callbacks of a tenant that are not blocked by an older one of the same lead. The state is a literal, so that
 * the partial index over pending callbacks applies.
 */
const firstPending = `from callbacks as oldest where oldest.tenant = :tenant and oldest.state = 'pending'
  and (oldest.in_order is null or not exists (
    select 1 from callbacks as older
    where older.tenant = oldest.tenant and older.lead_id = oldest.lead_id and older.seq < oldest.seq
      and older.state = 'pending' and older.in_order = 1))`

const due = `select ${storedColumns(callbacksTable)
  .map(column => `oldest.${column}`)
  .join(', ')} ${firstPending} and oldest.due_at <= :due_by
   and (oldest.leased_until is null or oldest.leased_until <= :now) order by oldest.due_at, oldest.seq limit :limit`

// On PostgreSQL, skips callbacks that another process is leasing at this moment.
const dueStatement = statement<Row, Row>(due, `${due} for update of oldest skip locked`)

const dueInSql: InSql<typeof dueCallbacks> = async ({ db, tenant }, { due_by, now, limit }) => {
  await db.turn?.(`${tenant} callbacks`)
  const found = await db.all(dueStatement, { tenant, due_by, now, limit })
  return found.map(row => fromRow(callbacksTable, row))
}

const nextDueStatement = statement<Row, { due_at: number }>(
  `select oldest.due_at ${firstPending} and oldest.due_at > :after order by oldest.due_at limit 1`,
)

const nextDueInSql: InSql<typeof nextDueCallback> = ({ db, tenant }, { after }) =>
  db.all(nextDueStatement, { tenant, after })

const bringForwardStatements = [
  `update callbacks set due_at = due_at - :ms where tenant = :tenant and state = 'pending' and due_at > :after`,
  'update reports set due_at = due_at - :ms where tenant = :tenant and due_at > :after',
].map(sql => statement<Row>(sql))

const bringForwardInSql: InSql<typeof bringForward> = async ({ db, tenant }, { ms, after }) => {
  for (const each of bringForwardStatements) db.write(each, { tenant, ms, after })
  return []
}

const limitRetriesStatement = statement<Row>(
  `update callbacks set due_at = due_at - (coalesce(retry_of, due_at) - :now)
   where tenant = :tenant and state = 'pending' and due_at > :now and coalesce(retry_of, due_at) > :now
     and held is null and in_order = 1`,
)

const limitRetriesInSql: InSql<typeof limitRetries> = async ({ db, tenant }, { now }) => {
  db.write(limitRetriesStatement, { tenant, now })
  return []
}

const appendStatement = statement<Row, { first: number }>(
  `with numbered as (
     select greatest(cast(:from as bigint), 1 + coalesce((
       select last from requests where tenant = :tenant order by last desc limit 1), 0)) as first),
   kept as (
     insert into bodies (tenant, first, last, data)
       select :tenant, first, first + :count - 1, cast(:bodies as text) from numbered where cast(:bodies as text) is not null),
   rejected as (
     insert into rejections (tenant, first, last, data)
       select :tenant, first, first + :count - 1, cast(:rejections as text) from numbered
       where cast(:rejections as text) is not null)
   insert into requests (tenant, first, last, data)
     select :tenant, first, first + :count - 1, :data from numbered returning first`,
)

const appendInSql: InSql<typeof appendRequests> = ({ db, tenant }, { entries, from, bodies, rejections }) => {
  const data = JSON.stringify({ entries })
  const kept = bodies ? JSON.stringify({ bodies }) : null
  const rejected = rejections ? JSON.stringify({ rejections }) : null
  const count = entries.length
  return db.returning(appendStatement, { tenant, from, count, data, bodies: kept, rejections: rejected })
}

/** The named queries that are faster in SQL. */
export const sqlQueries: Readonly<Record<string, unknown>> = {
  countLeads: countInSql,
  searchLeads: searchInSql,
  countCallbacks: countCallbacksInSql,
  dueCallbacks: dueInSql,
  nextDueCallback: nextDueInSql,
  bringForward: bringForwardInSql,
  limitRetries: limitRetriesInSql,
}

/** Named queries that are faster only if processes share the database. */
export const sharedSqlQueries: typeof sqlQueries = { ...sqlQueries, appendRequests: appendInSql }

/** Ends every tenant's leases. Lists the tenants so that the index over pending callbacks applies. */
export const releaseLeases = statement<object>(
  `update callbacks set leased_until = null
   where tenant in (select tenant from tenants) and state = 'pending' and leased_until is not null`,
)
