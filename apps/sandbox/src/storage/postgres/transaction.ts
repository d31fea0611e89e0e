import { type Executor, statement } from '../sql/statement.ts'
import type { PostgresConnection } from './connection.ts'
import { checkMigrated, explainFailed, failUnlessMigrated, migratedColumn } from './migrate.ts'
import { createRowBatches } from './row-batches.ts'
import { createTurns } from './session.ts'

/** One transaction on a connection, shared by all functions of a group. */
export interface Transaction {
  /** The transaction that a function gets, closed when the function settles. */
  open(): Scope
  /** The first error of a statement; PostgreSQL then aborts the transaction. */
  failure(): Error | undefined
  /** Commits; rejects with the first error of a statement. */
  commit(): Promise<void>
  rollBack(): Promise<void>
  /** The transaction's number, for {@link isCommitted}; undefined if it has none or may not have begun. */
  number(): string | undefined
  /** True if the commit was sent. */
  commits(): boolean
}

/** A function's transaction, while the function runs. */
export interface Scope extends Executor {
  /** True if there is something to roll back. */
  wrote(): boolean
  close(): void
}

const lock = statement<{ name: string }>(
  'select pg_advisory_xact_lock(hashtextextended(name, 0)) from (values (:name)) as locks (name)',
)
const readNumber = statement<object, { number: string; migrated: number }>(
  `select pg_current_xact_id()::text as number, ${migratedColumn}`,
)
const readStatus = statement<{ number: string }, { status: string | null }>(
  'select pg_xact_status(cast(:number as xid8)) as status',
)

/**
 * Begins a transaction. `begin` is sent with the first statement, and with a query whose result is known before the
 * commit: for `number`, the transaction's number and the version of the tables; for `version`, a check that fails the
 * transaction if the version differs.
 */
export function beginTransaction(
  connection: PostgresConnection,
  begin: string,
  asks: 'number' | 'version' | 'nothing',
): Transaction {
  const keys: Executor['keys'] = new Map()
  const turns = createTurns()
  let failure: Error | undefined
  let commits = false
  let number: string | undefined

  function watched<T>(sent: Promise<T>, explain = (error: Error) => error): Promise<T> {
    sent.catch(error => {
      failure ??= explain(error)
    })
    return sent
  }
  void watched(connection.command(begin))
  const sendNow: PostgresConnection['send'] = (statement, params) => watched(connection.send(statement, params))
  const locks = createRowBatches(sendNow)
  const rows = createRowBatches(sendNow)
  const flush = () => {
    locks.flush()
    rows.flush()
  }
  const send: PostgresConnection['send'] = (statement, params) => {
    flush()
    return sendNow(statement, params)
  }
  async function readNumbers(): Promise<void> {
    const { rows } = await send(readNumber, {})
    checkMigrated(rows[0]?.migrated)
    number = rows[0]?.number
  }
  const numbered = asks === 'number' ? watched(readNumbers()).catch(() => undefined) : undefined
  if (asks === 'version') void watched(connection.send(failUnlessMigrated, {}), explainFailed)

  return {
    open: () =>
      openScope({
        send,
        keys,
        turns,
        // Statements after a lock are sent after it.
        lock(name) {
          rows.flush()
          locks.add(lock, { name })
        },
        addRow(statement, row) {
          locks.flush()
          rows.add(statement, row)
        },
      }),
    failure: () => failure,
    async commit() {
      await numbered
      flush()
      if (failure) throw failure
      commits = true
      // Sent with the last writes; if one of them fails, PostgreSQL rolls back.
      const done = await connection.command('commit')
      if (failure) throw failure
      if (done !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back.')
    },
    async rollBack() {
      if (!connection.isLost()) await connection.command('rollback').catch(() => undefined)
    },
    number: () => number,
    commits: () => commits,
  }
}

interface Shared {
  readonly send: PostgresConnection['send']
  readonly lock: (name: string) => void
  readonly addRow: ReturnType<typeof createRowBatches>['add']
  readonly keys: Executor['keys']
  readonly turns: ReturnType<typeof createTurns>
}

function openScope({ send, lock, addRow, keys, turns }: Shared): Scope {
  let [open, wrote] = [true, false]
  const taken = new Map<string, Promise<() => void>>()

  function check(): void {
    if (!open) throw new Error('This transaction has ended: await every call of its tables inside its function.')
  }

  return {
    async all(statement, params) {
      check()
      return (await send(statement, params)).rows
    },
    async first(statement, params) {
      check()
      return (await send(statement, params)).rows[0]
    },
    async run(statement, params) {
      check()
      wrote = true
      return (await send(statement, params)).changed
    },
    async returning(statement, params) {
      check()
      wrote = true
      return (await send(statement, params)).rows
    },
    write(statement, params) {
      check()
      wrote = true
      if (statement.batch) addRow(statement, params)
      else send(statement, params).catch(() => undefined)
    },
    async turn(name, where) {
      check()
      if (taken.has(name)) return
      const turn = turns.take(name)
      taken.set(name, turn)
      await turn
      // Not awaited: later statements of this function are sent after it.
      if (where) lock(name)
    },
    isShared: true,
    keys,
    wrote: () => wrote,
    close: () => {
      open = false
      for (const turn of taken.values()) void turn.then(end => end())
    },
  }
}

/** Returns true if a transaction of a lost connection was committed; undefined while it is in progress. */
export async function isCommitted(connection: PostgresConnection, number: string): Promise<boolean | undefined> {
  // A crash may undo the number together with the transaction: then it is in the future, which is an error.
  const answer = await connection.send(readStatus, { number }).catch(error => {
    if (connection.isLost()) throw error
    return { rows: [{ status: 'aborted' }] }
  })
  const status = answer.rows[0]?.status
  return status === 'in progress' ? undefined : status === 'committed'
}
