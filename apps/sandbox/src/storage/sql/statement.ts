import type { LeaseName } from '@lead-distribution/simulator'

/** One SQL statement, its parameters by name. `Params` is what it takes, `Row` what it returns. */
export interface Statement<Params, Row> {
  /** SQL that every supported database parses, with `:name` for each parameter. */
  readonly sql: string
  /** The statement for PostgreSQL, if different: many processes share the rows. */
  readonly postgres?: string | undefined
  /**
   * Set if it writes a row of a table: PostgreSQL then writes many at once. Of rows with the same values of `key` only the last
   * is written; with an empty one, all are.
   */
  readonly batch?: { readonly table: string; readonly key: readonly string[] }
  /** Never there: carries the types. */
  readonly types?: readonly [Params, Row]
}

/** Declares a statement. A `:name` is the parameter of that name, also where it occurs twice. */
export function statement<Params, Row = never>(sql: string, postgres?: string): Statement<Params, Row> {
  return { sql, postgres }
}

/** A statement with the placeholders of one driver, and the names of its parameters in the order of these. */
export interface Positional {
  readonly sql: string
  readonly names: readonly string[]
}

const name = /(?<!:):([a-z_]\w*)/g

/** Replaces each `:name` by a `?`. */
export function positional(sql: string): Positional {
  const names: string[] = []
  const replaced = sql.replace(name, (_, name: string) => {
    names.push(name)
    return '?'
  })
  return { sql: replaced, names }
}

/**
 * Replaces each `:name` by `$1`, `$2` and so on, the same one where it occurs twice: PostgreSQL finds the type of a
 * parameter where it is first used, which is to be beside a column.
 */
export function numbered(sql: string): Positional {
  const names = [...new Set(Array.from(sql.matchAll(name), ([, found]) => found as string))]
  return { sql: sql.replace(name, (_, found: string) => `$${names.indexOf(found) + 1}`), names }
}

/** Marks a text that is stored as JSON. It is a noncharacter, which texts do not contain. */
const escaped = '\ufffe'

/** Returns a text as a column holds it. No database stores half of a surrogate pair, which JSON escapes. */
export function toColumn(text: string): string {
  return text.isWellFormed() && !text.startsWith(escaped) ? text : `${escaped}${JSON.stringify(text)}`
}

/** Returns the text that {@link toColumn} stored. */
export function fromColumn(stored: string): string {
  return stored.startsWith(`${escaped}"`) ? JSON.parse(stored.slice(1)) : stored
}

/** Runs statements of one transaction, one after the other. */
export interface Executor {
  all<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Promise<Row[]>
  first<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Promise<Row | undefined>
  /** For statements that write: returns how many rows changed. */
  run<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Promise<number>
  /** For statements that write and return rows. */
  returning<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Promise<Row[]>
  /** For statements that write where that is not asked: it may return earlier, and the transaction then fails as a whole. */
  write<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): void
  /**
   * To be awaited before something is read and then written from what was read: no other work with a turn of this name
   * goes on before this one is over. Works that share the transaction wait, `everywhere` those of other processes, too. Left out
   * where works run one after the other anyway.
   */
  turn?(name: string, where?: 'everywhere'): Promise<void>
  /** True where many processes share the database. */
  readonly isShared?: boolean
  /** Keys of the content that tenants have, by their names, as long as they are certain to stay the same. */
  readonly keys: Map<string, string | Promise<string>>
}

/** Fails a transaction of what this process runs under a lease of a tenant, if the lease is lost. */
export type CheckLease = (db: Executor, tenant: string, name: LeaseName) => void

/** Runs works in transactions. */
export interface Transactor {
  /**
   * All that the work writes is kept when it fulfils, nothing when it rejects; the promise settles when that is
   * certain. The executor serves until the work settles. A work must not start a transaction and wait for it. Works of
   * one lane begin in the order in which they came; once one has settled, so have all that came before it.
   */
  transact<T>(work: (executor: Executor) => Promise<T>, lane?: string): Promise<T>
  /**
   * The same for what a crash of the database may take back: on a lane of its own, whose commits do not wait for the disk.
   * Left out where one process has the database.
   */
  relaxed?: Transactor['transact']
  /** The same for a step of long work that nobody waits for. Left out where others do not wait for it. */
  background?: Transactor['transact']
  /**
   * Runs work that only reads, and sees everything that was committed before. Where processes share the database, it sees
   * it as of one time, and the SQL that is sent takes no locks.
   */
  read<T>(work: (executor: Executor) => Promise<T>, lane?: string): Promise<T>
  /**
   * Runs works in one transaction, which takes as long as they take: left out where one process has the database. Others
   * see nothing of it before it is committed.
   */
  together?<T>(run: (transact: Transactor['transact']) => Promise<T>): Promise<T>
  /** Finishes what was begun, runs the last transactions, then lets go of the database. Takes nothing else meanwhile. */
  close(last?: (transact: Transactor['transact']) => Promise<void>): Promise<void>
}

/** A transaction of one tenant. */
export interface TenantContext {
  readonly db: Executor
  /** The key of its content. */
  readonly tenant: string
}

/** The key of a tenant. */
export interface TenantKey {
  tenant: string
}
