import { type Executor, statement } from '../sql/statement.ts'
import type { PostgresConnection } from './connection.ts'

/** One transaction on a connection, for all works of a group. */
export interface Transaction {
  /** What one work is given, and closed when the work settles. */
  open(): Scope
  /** The first error of a statement: PostgreSQL then keeps nothing of the transaction. */
  failure(): Error | undefined
  /** Commits; rejects with the first error of a statement. */
  commit(): Promise<void>
  rollBack(): Promise<void>
  /** The transaction's number, for {@link isCommitted}; undefined where it wrote nothing or may not have begun to. */
  number(): string | undefined
  /** Whether the commit was sent. */
  commits(): boolean
}

/** What one work is given: the transaction, for as long as the work runs. */
export interface Scope extends Executor {
  /** Whether there is something to take back. */
  wrote(): boolean
  close(): void
}

const lock = statement<{ name: string }>('select pg_advisory_xact_lock(hashtextextended(:name, 0))')
const readNumber = statement<object, { number: string }>('select pg_current_xact_id()::text as number')
const readStatus = statement<{ number: string }, { status: string | null }>(
  'select pg_xact_status(cast(:number as xid8)) as status',
)

/** Begins a transaction. The command goes with the first statement: its answer is not waited for. */
export function beginTransaction(connection: PostgresConnection, begin = 'begin'): Transaction {
  const keys: Executor['keys'] = new Map()
  const turns = createTurns()
  let failure: Error | undefined
  let commits = false
  let number: string | undefined

  function watched<T>(sent: Promise<T>): Promise<T> {
    sent.catch(error => {
      failure ??= error
    })
    return sent
  }
  void watched(connection.command(begin))
  const send: PostgresConnection['send'] = (statement, params) => watched(connection.send(statement, params))
  let numbered: Promise<unknown> | undefined

  /** The number goes before the first write: its answer is there when the one to the write is, and costs no wait. */
  const write: PostgresConnection['send'] = (statement, params) => {
    numbered ??= send(readNumber, {}).then(
      ({ rows }) => {
        number = rows[0]?.number
      },
      () => undefined,
    )
    return send(statement, params)
  }

  return {
    open: () => openScope({ send, write, keys, turns }),
    failure: () => failure,
    async commit() {
      await numbered
      if (failure) throw failure
      commits = true
      // Goes with the last writes: where one of them fails, PostgreSQL rolls back.
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

/** Who has which turn of a transaction: one work after the other, each until it is over. */
function createTurns() {
  const last = new Map<string, Promise<void>>()
  return {
    /** Resolves once those that asked before are over, to what ends the turn. */
    async take(name: string): Promise<() => void> {
      const before = last.get(name)
      const over = Promise.withResolvers<void>()
      last.set(name, over.promise)
      await before
      return over.resolve
    },
  }
}

interface Shared {
  readonly send: PostgresConnection['send']
  readonly write: PostgresConnection['send']
  readonly keys: Executor['keys']
  readonly turns: ReturnType<typeof createTurns>
}

function openScope({ send, write, keys, turns }: Shared): Scope {
  let [open, wrote] = [true, false]
  const taken = new Map<string, Promise<() => void>>()

  function check(): void {
    if (!open) throw new Error('This transaction is over: await every call of its tables inside its work.')
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
      return (await write(statement, params)).changed
    },
    async write(statement, params) {
      check()
      wrote = true
      write(statement, params).catch(() => undefined)
    },
    async turn(name, where) {
      check()
      if (taken.has(name)) return
      const turn = turns.take(name)
      taken.set(name, turn)
      await turn
      // Not waited for: what this work sends next waits behind it.
      if (where) send(lock, { name }).catch(() => undefined)
    },
    keys,
    wrote: () => wrote,
    close: () => {
      open = false
      for (const turn of taken.values()) void turn.then(end => end())
    },
  }
}

/** Whether a transaction of an earlier connection was committed; undefined while PostgreSQL has not ended it. */
export async function isCommitted(connection: PostgresConnection, number: string): Promise<boolean | undefined> {
  // A crash may take the number back with the transaction: then it is one of the future, which is an error.
  const answer = await connection.send(readStatus, { number }).catch(error => {
    if (connection.isLost()) throw error
    return { rows: [{ status: 'aborted' }] }
  })
  const status = answer.rows[0]?.status
  return status === 'in progress' ? undefined : status === 'committed'
}
