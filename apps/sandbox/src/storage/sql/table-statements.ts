import { columnOf, type PageRange, type Range, type Table, type Value } from '@lead-distribution/simulator'
import { columnsOf, conditionOf, indexOf, storedColumns } from './schema.ts'
import { fromColumn, type Statement, statement, toColumn } from './statement.ts'

/** A row, or parameters of a statement, by their names. */
export type Row = Record<string, Value>

/** The statements of a declared table, each made once. */
export interface TableStatements {
  readonly insert: Statement<Row, never>
  readonly claim: Statement<Row, never>
  readonly put: Statement<Row, never>
  readonly get: Statement<Row, Row>
  readonly getLocked: Statement<Row, Row>
  /** Adds a number in a column. */
  add(column: string): Statement<Row, never>
  scan(index: string, range: PageRange): Statement<Row, Row>
  columns(index: string, range: PageRange): Statement<Row, Row>
  count(index: string): Statement<Row, { count: number }>
  remove(index: string, range: Range): Statement<Row, never>
}

const known = new WeakMap<Table, TableStatements>()

/** Returns the statements of a table. */
export function statementsOf(table: Table): TableStatements {
  const found = known.get(table) ?? createStatements(table)
  known.set(table, found)
  return found
}

function createStatements(table: Table): TableStatements {
  const { name, key } = table
  const columns = [...columnsOf(table).map(column => column.name), ...(table.isFlat ? [] : ['data'])]
  const insert = `insert into ${name} (tenant, ${columns.join(', ')}) values (:tenant, ${columns.map(each => `:${each}`).join(', ')})`
  const onConflict = `${insert} on conflict (tenant, ${key.join(', ')}) do`
  const others = columns.filter(column => !key.includes(column))
  const selected = `select ${storedColumns(table).join(', ')} from ${name}`
  const get = `${selected} where tenant = :tenant and ${key.map(column => `${column} = :${column}`).join(' and ')}`
  const once = <Params, Result>(make: (text: string) => Statement<Params, Result>) => {
    const made = new Map<string, Statement<Params, Result>>()
    return (text: string) => {
      const statement = made.get(text) ?? make(text)
      made.set(text, statement)
      return statement
    }
  }
  const select = once<Row, Row>(text => statement(`${selected} ${text}`))
  const columnsOnly = once<Row, Row>(text =>
    statement(`select ${Object.keys(table.columns).join(', ')} from ${name} ${text}`),
  )
  const selectLocked = once<Row, Row>(text =>
    statement(`${selected} ${text}`, `${selected} ${text} for update skip locked`),
  )
  const remove = once<Row, never>(text => statement(`delete from ${name} ${text}`))
  const count = once<Row, { count: number }>(text => statement(`select count(*) as count from ${name} ${text}`))
  const add = once<Row, never>(column =>
    statement(`${onConflict} update set ${column} = ${name}.${column} + excluded.${column}`),
  )
  // Compared by the shape of a range first: its text is made once.
  const texts = new Map<string, string>()
  function textOf(index: string, range: PageRange): string {
    const { of, after, from, before, through, order, limit } = range
    const shape = `${index} ${of?.length ?? 0}${after?.length ?? 0}${from?.length ?? 0}${before?.length ?? 0}${through?.length ?? 0}${order ?? ''}${limit === undefined}`
    const text = texts.get(shape) ?? textOfRange(table, index, range)
    texts.set(shape, text)
    return text
  }

  return {
    // Two of one key are an error, which the database reports.
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
    add,
    scan: (index, range) => (range.lock ? selectLocked : select)(textOf(index, range)),
    columns: (index, range) => columnsOnly(textOf(index, range)),
    count: index => count(conditionsOf(table, index, {})),
    remove: (index, range) => remove(conditionsOf(table, index, range)),
  }
}

function textOfRange(table: Table, index: string, range: PageRange): string {
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

/** Returns a record as its row. */
export function toRow(tenant: string, table: Table, record: object): Row {
  const row: Row = { tenant }
  for (const column in table.columns) row[column] = stored((record as Partial<Row>)[column])
  for (const column in table.derived) row[column] = columnOf(table, record, column)
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

/** Returns the record of a row. */
export function fromRow<R extends object>(table: Table<R>, row: Row): R {
  const record = table.isFlat ? {} : JSON.parse(row.data as string)
  for (const field in table.packed) record[field] = table.packed[field]?.unpack(record[field])
  return columnsOfRow(table, row, record)
}

/** Adds the values of a row's columns to a record. */
export function columnsOfRow<R extends object>(table: Table<R>, row: Row, record: Record<string, unknown>): R {
  for (const column in table.columns) {
    const value = row[column]
    if (value !== null) record[column] = typeof value === 'string' ? fromColumn(value) : value
  }
  return record as R
}
