import type { Executor } from '../sql/statement.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

/** What one work is given: the connection, for as long as the work runs. */
export interface Scope extends Executor {
  /** Whether there is something to take back. */
  wrote(): boolean
  close(): void
}

/** Opens a scope inside a transaction that was begun. */
export function openScope(connection: SqliteConnection): Scope {
  let open = true
  let wrote = false

  function check(): void {
    if (!open) throw new Error('This transaction is over: await every call of its tables inside its work.')
    // Otherwise each statement would commit alone what is going to be reported as failed.
    if (!connection.inTransaction()) throw new Error('SQLite gave the transaction up: nothing of it is kept.')
  }

  return {
    async all(statement, params) {
      check()
      return connection.all(statement, params)
    },
    async first(statement, params) {
      check()
      return connection.first(statement, params)
    },
    async run(statement, params) {
      check()
      wrote = true
      return connection.run(statement, params)
    },
    wrote: () => wrote,
    close: () => {
      open = false
    },
  }
}
