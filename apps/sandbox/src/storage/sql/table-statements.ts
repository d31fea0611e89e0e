import { columnOf, type PageRange, type Range, type Table, type Value } from '@lead-distribution/simulator'
import { conditionOf, indexOf, storedColumns, writtenColumns } from './schema.ts'
import { fromColumn, type Statement, statement, toColumn } from './statement.ts'

/** A row, or a statement's parameters, by name. */
export type Row = Record<string, Value>

/** The statements of a declared table, each created once. */
export interface TableStatements {
  readonly insert: Statement<Row, never>
  readonly claim: Statement<Row, never>
  readonly put: Statement<Row, never>
  readonly get: Statement<Row, Row>
  readonly getLocked: Statement<Row, Row>
  /** Adds a number to a column. */
  add(column: string): Statement<Row, never>
  scan(index: string, range: PageRange): Statement<Row, Row>
  columns(index: string, range: PageRange): Statement<Row, Row>
  count(index: string): Statement<Row, { count: number }>
  remove(index: string, range: Range): Statement<Row, never>
}

const known = new WeakMap<Table, TableStatements>()

/** Returns the statements of a table. */
export function statementsOf(table: Table): TableStatements {
  let found = known.get(table)
  if (!found) {
    found = createStatements(table)
    known.set(table, found)
  }
  return found
}

function createStatements(table: Table): TableStatements {
  const { name, key } = table
  const columns = writtenColumns(table)
  const insert = `insert into ${name} (tenant, ${columns.join(', ')}) values (:tenant, ${columns.map(each => `:${each}`).join(', ')})`
  const onConflict = `${insert} on conflict (tenant, ${key.join(', ')}) do`
  const others = columns.filter(column => !key.includes(column))
  const select = `select ${storedColumns(table).join(', ')} from ${name}`
  const get = `${select} where tenant = :tenant and ${key.map(column => `${column} = :${column}`).join(' and ')}`

  const made = new Map<string, Statement<Row, never>>()
  /** Returns the statement of a shape, creating it once. */
  function once<Found>(shape: string, make: () => Statement<Row, Found>): Statement<Row, Found> {
    const statement = (made.get(shape) as Statement<Row, Found> | undefined) ?? make()
    made.set(shape, statement as Statement<Row, never>)
    return statement
  }

  return {
    // A duplicate key is an error, reported by the database.
    insert: { ...statement<Row>(insert), batch: { table: name, key: [] } },
    claim: statement(`${onConflict} nothing`),
    put: {
      ...statement<Row>(
        `${onConflict} update set ${others.map(column => `${column} = excluded.${column}`).join(', ')}`,
      ),
      batch: { table: name, key: ['tenant', ...key] },
    },
    get: statement(get),
    getLocked: statement(get, `${get} for update`),
    add: column =>
      once(`add ${column}`, () =>
        statement(`${onConflict} update set ${column} = ${name}.${column} + excluded.${column}`),
      ),
    scan: (index, range) =>
      once(`scan ${range.lock} ${shapeOf(index, range)}`, () => {
        const sql = `${select} ${pageOf(table, index, range)}`
        return statement(sql, range.lock && `${sql} for update skip locked`)
      }),
    columns: (index, range) =>
      once(`columns ${shapeOf(index, range)}`, () =>
        statement(`select ${Object.keys(table.columns).join(', ')} from ${name} ${pageOf(table, index, range)}`),
      ),
    count: index =>
      once(`count ${index}`, () =>
        statement(`select count(*) as count from ${name} ${conditionsOf(table, index, {})}`),
      ),
    remove: (index, range) =>
      once(`remove ${shapeOf(index, range)}`, () =>
        statement(`delete from ${name} ${conditionsOf(table, index, range)}`),
      ),
  }
}

/** Identifies the shape of a range; ranges with the same shape differ only in their values. */
function shapeOf(index: string, { of, after, from, before, through, order, limit }: PageRange): string {
  const lengths = [of, after, from, before, through].map(values => values?.length ?? 0)
  return `${index} ${lengths.join()} ${order} ${limit === undefined}`
}

function pageOf(table: Table, index: string, range: PageRange): string {
  const { of = [], order, limit } = range
  const on = indexOf(table, index).on.slice(of.length)
  const direction = order === 'descending' ? ' desc' : ''
  const ordered = on.length > 0 ? ` order by ${on.map(column => `${column}${direction}`).join(', ')}` : ''
  return `${conditionsOf(table, index, range)}${ordered}${limit === undefined ? '' : ' limit :limit'}`
}

const comparisons = { after: '>', from: '>=', before: '<', through: '<=' } as const

function conditionsOf(table: Table, index: string, range: Range): string {
  const { of = [] } = range
  const { on, where } = indexOf(table, index)
  const bounds = Object.entries(comparisons).flatMap(([bound, comparison]) => {
    const count = range[bound as keyof typeof comparisons]?.length ?? 0
    if (count === 0) return []
    const columns = on.slice(of.length, of.length + count)
    const values = columns.map((_, place) => `:${bound}_${place}`)
    const [left, right] = [columns, values].map(each => (count === 1 ? each.join() : `(${each.join(', ')})`))
    return [`${left} ${comparison} ${right}`]
  })
  const equal = on.slice(0, of.length).map((column, place) => `${column} = :of_${place}`)
  return `where ${['tenant = :tenant', ...(where ? [conditionOf(where)] : []), ...equal, ...bounds].join(' and ')}`
}

/** Returns the parameters of a range. */
export function paramsOf(tenant: string, range: PageRange): Row {
  const params: Row = { tenant }
  for (const bound of ['of', 'after', 'from', 'before', 'through'] as const) {
    const values = range[bound]
    if (values) for (let place = 0; place < values.length; place++) params[`${bound}_${place}`] = stored(values[place])
  }
  if (range.limit !== undefined) params.limit = range.limit
  return params
}

/** Returns the parameters of a key. */
export function keyParams(tenant: string, { key }: Table, values: readonly Value[]): Row {
  const params: Row = { tenant }
  for (let place = 0; place < key.length; place++) params[key[place] as string] = stored(values[place])
  return params
}

/** Converts a record to its row. */
export function toRow(tenant: string, table: Table, record: object): Row {
  const row: Row = { tenant }
  for (const column in table.columns) row[column] = stored((record as Partial<Row>)[column])
  for (const column in table.derived) row[column] = stored(columnOf(table, record, column))
  if (table.isFlat) return row
  const data: Record<string, unknown> = {}
  for (const field in record) {
    if (Object.hasOwn(table.columns, field)) continue
    const value = (record as Record<string, unknown>)[field]
    const packing = table.packed[field]
    data[field] = packing ? packing.pack(value) : value
  }
  row.data = JSON.stringify(data)
  return row
}

function stored(value: Value | undefined): Value {
  if (value === undefined) return null
  return typeof value === 'string' ? toColumn(value) : value
}

/** Converts a row to its record. */
export function fromRow<R extends object>(table: Table<R>, row: Row): R {
  const record = table.isFlat ? {} : JSON.parse(row.data as string)
  for (const field in table.packed) record[field] = table.packed[field]?.unpack(record[field])
  return columnsOfRow(table, row, record)
}

/** Adds a row's column values to a record. */
export function columnsOfRow<R extends object>(table: Table<R>, row: Row, record: Record<string, unknown>): R {
  for (const column in table.columns) {
    const value = row[column]
    if (value !== null) record[column] = typeof value === 'string' ? fromColumn(value) : value
  }
  return record as R
}
