import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Value } from '@lead-distribution/simulator'
import { type Executor, positional, type Statement } from '../sql/statement.ts'

/** One connection to a SQLite file. Each statement is prepared once and kept. */
export interface SqliteConnection {
  all<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Row[]
  first<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Row | undefined
  run<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): number
  /** Runs a command without a result, such as `commit`. */
  command(sql: string): void
  /** A cache of names for the only process that has the file; a name is removed when it moves. */
  readonly keys: Executor['keys']
  /** False after SQLite rolled a transaction back by itself, for example because the disk is full. */
  inTransaction(): boolean
  close(): void
}

/** Wraps an open database. */
export function createSqliteConnection(database: DatabaseSync): SqliteConnection {
  const prepared = new Map<object, Prepared>()
  const prepare = (statement: { sql: string }): Prepared => {
    let found = prepared.get(statement)
    if (!found) {
      const { sql, names } = positional(statement.sql)
      found = { query: database.prepare(sql), names }
      prepared.set(statement, found)
    }
    return found
  }

  const commands = new Map<string, StatementSync>()
  const command = (sql: string): void => {
    let query = commands.get(sql)
    if (!query) {
      query = database.prepare(sql)
      commands.set(sql, query)
    }
    query.run()
  }

  return {
    all: <Row>(statement: Statement<never, Row>, params: unknown) => {
      const { query, names } = prepare(statement)
      return query.all(...bind(names, params)) as Row[]
    },
    first: <Row>(statement: Statement<never, Row>, params: unknown) => {
      const { query, names } = prepare(statement)
      return query.get(...bind(names, params)) as Row | undefined
    },
    run: (statement, params) => {
      const { query, names } = prepare(statement)
      return Number(query.run(...bind(names, params)).changes)
    },
    command,
    keys: new Map(),
    inTransaction: () => database.isTransaction,
    close: () => database.close(),
  }
}

interface Prepared {
  readonly query: StatementSync
  /** The names of its parameters, in order. */
  readonly names: readonly string[]
}

function bind(names: readonly string[], params: unknown): SQLInputValue[] {
  const values = params as Record<string, Value>
  return names.map(name => values[name] as SQLInputValue)
}
