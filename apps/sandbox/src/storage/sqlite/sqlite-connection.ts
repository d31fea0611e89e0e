import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Statement, Value } from '../sql/statement.ts'

/** One connection to a SQLite file. Each statement is prepared once and kept. */
export interface SqliteConnection {
  all<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Row[]
  first<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Row | undefined
  run<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): number
  /** Runs a command that answers nothing, such as `commit`. */
  command(sql: string): void
  /** False after SQLite gave a transaction up by itself: the disk is full, say. */
  inTransaction(): boolean
  close(): void
}

/** Takes an open database over. */
export function createSqliteConnection(database: DatabaseSync): SqliteConnection {
  const prepared = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    let statement = prepared.get(sql)
    if (!statement) {
      statement = database.prepare(sql)
      prepared.set(sql, statement)
    }
    return statement
  }

  return {
    all: <Row>({ sql, params: names }: Statement<never, Row>, params: unknown) =>
      prepare(sql).all(...bind(names, params)) as Row[],
    first: <Row>({ sql, params: names }: Statement<never, Row>, params: unknown) =>
      prepare(sql).get(...bind(names, params)) as Row | undefined,
    run: ({ sql, params: names }, params) => Number(prepare(sql).run(...bind(names, params)).changes),
    command: sql => void prepare(sql).run(),
    inTransaction: () => database.isTransaction,
    close: () => database.close(),
  }
}

function bind(names: readonly string[], params: unknown): SQLInputValue[] {
  const values = params as Record<string, Value>
  return names.map(name => values[name] as SQLInputValue)
}
