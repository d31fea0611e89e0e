import {
  type NamedQuery,
  type PageRange,
  type Range,
  type SharedTransaction,
  sharedDocuments,
  type Table,
  type Transaction,
  type Value,
} from '@lead-distribution/simulator'
import { sharedSqlQueries, sqlQueries } from './named-queries.ts'
import { type Executor, statement, type TenantKey } from './statement.ts'
import { columnsOfRow, fromRow, keyParams, paramsOf, statementsOf, toRow } from './table-statements.ts'

/** A tenant's transaction over a SQL database. */
export class SqlTransaction implements Transaction {
  readonly db: Executor
  readonly tenant: string
  readonly shared: SharedTransaction | undefined

  constructor(db: Executor, tenant: string) {
    this.db = db
    this.tenant = tenant
    if (db.isShared) this.shared = sharedTransaction(db, tenant)
  }

  async get<R extends object>(table: Table<R>, key: readonly Value[], options?: { readonly lock?: boolean }) {
    const { get, getLocked } = statementsOf(table)
    if (options?.lock) await this.db.turn?.(`${this.tenant} ${table.name}`)
    const row = await this.db.first(options?.lock ? getLocked : get, keyParams(this.tenant, table, key))
    return row && fromRow(table, row)
  }

  async scan<R extends object>(table: Table<R>, index: string, range: PageRange): Promise<R[]> {
    if (range.lock) await this.db.turn?.(`${this.tenant} ${table.name}`)
    const rows = await this.db.all(statementsOf(table).scan(index, range), paramsOf(this.tenant, range))
    return rows.map(row => fromRow(table, row))
  }

  async columns<R extends object>(table: Table<R>, index: string, range: PageRange): Promise<Partial<R>[]> {
    const rows = await this.db.all(statementsOf(table).columns(index, range), paramsOf(this.tenant, range))
    return rows.map(row => columnsOfRow(table, row, {}))
  }

  async count<R extends object>(table: Table<R>, index: string): Promise<number> {
    return (await this.db.first(statementsOf(table).count(index), { tenant: this.tenant }))?.count ?? 0
  }

  async query<Params, Row>(query: NamedQuery<Params, Row>, params: Params): Promise<Row[]> {
    const queries = this.shared ? sharedSqlQueries : sqlQueries
    const run = queries[query.name] as ((tables: SqlTransaction, params: Params) => Promise<Row[]>) | undefined
    return run ? run(this, params) : query.run(this, params)
  }

  async lock(name: string): Promise<void> {
    await this.db.turn?.(`${this.tenant} ${name}`, 'everywhere')
  }

  insert(table: Table, record: object): void {
    this.db.write(statementsOf(table).insert, toRow(this.tenant, table, record))
  }

  async claim(table: Table, record: object): Promise<boolean> {
    return (await this.db.run(statementsOf(table).claim, toRow(this.tenant, table, record))) === 1
  }

  put(table: Table, record: object): void {
    this.db.write(statementsOf(table).put, toRow(this.tenant, table, record))
  }

  add<R extends object>(table: Table<R>, record: R, column: keyof R & string): void {
    this.db.write(statementsOf(table).add(column), toRow(this.tenant, table, record))
  }

  remove(table: Table, index: string, range: Range): void {
    this.db.write(statementsOf(table).remove(index, range), paramsOf(this.tenant, range))
  }
}

const countJobs = statement<TenantKey & { count: number }>(
  `update counters set next = next + :count where tenant = :tenant and series = 'jobs'`,
)
const touchTenant = statement<TenantKey>('update tenants set version = default where tenant = :tenant')
const publish = {
  ...statement<{ events: string }>('insert into stream_events (events) values (:events)'),
  batch: { table: 'stream_events', key: [] },
}

/** The names of the documents that processes cache, as SQL. */
export const sharedDocumentNames = `(${sharedDocuments.map(name => `'${name}'`).join(', ')})`

function sharedTransaction(db: Executor, tenant: string): SharedTransaction {
  return {
    countJobs: count => db.write(countJobs, { tenant, count }),
    touchTenant: () => db.write(touchTenant, { tenant }),
    publish: events => db.write(publish, { events: JSON.stringify(events) }),
  }
}
