import type { Value } from '@lead-distribution/simulator'
import { type Statement, statement } from '../sql/statement.ts'
import type { PostgresConnection } from './connection.ts'

/** The maximum number of rows in a statement; each number of rows is a separate prepared statement. */
const sizes = [32, 16, 8, 4, 2, 1]

type Row = Readonly<Record<string, Value>>
type ManyRows = Statement<Row, unknown>

/**
 * Batches the rows written by transactions until another statement is sent: a statement with many rows costs PostgreSQL
 * and its driver little more than one with a single row.
 */
export function createRowBatches(send: PostgresConnection['send']) {
  /**
   * The statement and its rows, by table. One statement must not write a row twice, so the later row replaces the
   * earlier.
   */
  const waiting = new Map<string, { readonly one: ManyRows; readonly rows: Map<string, Row> }>()

  /** Sends the batch. A failing statement fails the transaction. */
  function flush(): void {
    if (waiting.size === 0) return
    const batches = [...waiting.values()]
    waiting.clear()
    for (const { one, rows } of batches)
      for (const part of partsOf([...rows.values()]))
        send(withRows(one, part.length), flat(part)).catch(() => undefined)
  }

  let unnamed = 0
  return {
    add<Params>(statement: Statement<Params, unknown>, params: NoInfer<Params>): void {
      const [one, row] = [statement as ManyRows, params as Row]
      const { table, key } = one.batch ?? { table: one.sql, key: [] }
      // Different statements for one table are sent in their original order.
      if ((waiting.get(table)?.one ?? one) !== one) flush()
      const rows = waiting.get(table)?.rows ?? new Map<string, Row>()
      unnamed += 1
      rows.set(key.length > 0 ? key.map(name => row[name]).join('\n') : String(unnamed), row)
      waiting.set(table, { one, rows })
    },
    flush,
  }
}

function* partsOf(rows: readonly Row[]): Generator<readonly Row[]> {
  let start = 0
  for (const size of sizes) for (; rows.length - start >= size; start += size) yield rows.slice(start, start + size)
}

/** Returns the parameters of the rows; those of the row with index 2 as `name_2`. */
function flat(rows: readonly Row[]): Row {
  return Object.fromEntries(
    rows.flatMap((row, index) => Object.entries(row).map(([name, value]) => [`${name}_${index}`, value])),
  )
}

const made = new WeakMap<ManyRows, Map<number, ManyRows>>()

/** Expands a statement for one row to this many rows. */
function withRows(one: ManyRows, count: number): ManyRows {
  const ofCounts = made.get(one) ?? new Map<number, ManyRows>()
  made.set(one, ofCounts)
  const known = ofCounts.get(count) ?? statement<Row, unknown>(repeated(one.postgres ?? one.sql, count))
  ofCounts.set(count, known)
  return known
}

function repeated(sql: string, count: number): string {
  return sql.replace(/\bvalues\s+(\([^()]*\))/, (_, row: string) => {
    const rows = Array.from({ length: count }, (_, index) => row.replaceAll(/:\w+/g, name => `${name}_${index}`))
    return `values ${rows.join(', ')}`
  })
}
