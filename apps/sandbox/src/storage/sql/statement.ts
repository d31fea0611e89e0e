import type { LeaseName } from '@lead-distribution/simulator'

/** One SQL statement with named parameters. `Params` are its parameters, `Row` its result. */
export interface Statement<Params, Row> {
  /** SQL for all supported databases, with `:name` for each parameter. */
  readonly sql: string
  /** The statement for PostgreSQL, if different, because many processes share the rows. */
  readonly postgres?: string | undefined
  /**
   * Set for a statement that writes a row, so that PostgreSQL can batch it. Of rows with the same `key` values, only
   * the last one is written; with an empty `key`, all are.
   */
  readonly batch?: { readonly table: string; readonly key: readonly string[] }
  /** Never set: carries the types. */
  readonly types?: readonly [Params, Row]
}

/** Declares a statement. Each occurrence of `:name` is the same parameter. */
export function statement<Params, Row = never>(sql: string, postgres?: string): Statement<Params, Row> {
  return { sql, postgres }
}

/** A statement with a driver's placeholders, and the parameter names in placeholder order. */
export interface Positional {
  readonly sql: string
  readonly names: readonly string[]
}

const name = /(?<!:):([a-z_]\w*)/g

/** Replaces each `:name` with `?`. */
export function positional(sql: string): Positional {
  const names: string[] = []
  const replaced = sql.replace(name, (_, name: string) => {
    names.push(name)
    return '?'
  })
  return { sql: replaced, names }
}

/**
 * Replaces each `:name` with `$1`, `$2` and so on, reusing the number of a repeated name. PostgreSQL infers a
 * parameter's type from its first use, which should be next to a column.
 */
export function numbered(sql: string): Positional {
  const names = [...new Set(Array.from(sql.matchAll(name), ([, found]) => found as string))]
  return { sql: sql.replace(name, (_, found: string) => `$${names.indexOf(found) + 1}`), names }
}

/** Marks a text that is stored as JSON: a noncharacter, which texts do not contain. */
const escaped = '\ufffe'

/**
 * Converts a text to its stored form. Databases cannot store half of a surrogate pair, so such a text is escaped as
 * JSON.
 */
export function toColumn(text: string): string {
  return text.isWellFormed() && !text.startsWith(escaped) ? text : `${escaped}${JSON.stringify(text)}`
}

/** Restores a text from {@link toColumn}. */
export function fromColumn(stored: string): string {
  return stored.startsWith(`${escaped}"`) ? JSON.parse(stored.slice(1)) : stored
}

/** Runs the statements of one transaction in order. */
export interface Executor {
  all<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Promise<Row[]>
  first<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Promise<Row | undefined>
  /** Writes; returns the number of changed rows. */
  run<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Promise<number>
  /** Writes and returns rows. */
  returning<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Promise<Row[]>
  /** Writes without waiting for the result; an error fails the transaction as a whole. */
  write<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): void
  /**
   * Await this before a read-modify-write: it serializes functions that use the same name. It orders those that share
   * the transaction, and with `everywhere` also other processes. Missing if functions are serialized anyway.
   */
  turn?(name: string, where?: 'everywhere'): Promise<void>
  /** True if many processes share the database. */
  readonly isShared?: boolean
  /** A cache of the keys of tenants' content by name, while they are certain not to change. */
  readonly keys: Map<string, string | Promise<string>>
}

/** Fails a transaction under a lease on a tenant, if this process has lost the lease. */
export type CheckLease = (db: Executor, tenant: string, name: LeaseName) => void

/** Runs functions in transactions. */
export interface Transactor {
  /**
   * Commits if the function fulfills and rolls back if it rejects; the promise settles after the commit or rollback.
   * The executor is valid until the function settles. A function must not start a transaction and wait for it.
   * Functions in one lane start in order, and each settles after all earlier ones.
   */
  transact<T>(work: (executor: Executor) => Promise<T>, lane?: string): Promise<T>
  /**
   * The same for data that a crash of the database may lose: in a separate lane whose commits do not wait for the disk.
   * Missing if one process has the database.
   */
  relaxed?: Transactor['transact']
  /** The same for a step of long background work. Missing if it would not delay others. */
  background?: Transactor['transact']
  /**
   * Runs a read-only function that sees everything committed before. If processes share the database, it sees a
   * consistent snapshot and takes no locks.
   */
  read<T>(work: (executor: Executor) => Promise<T>, lane?: string): Promise<T>
  /**
   * Runs several functions in one transaction without a time limit. Others see nothing of it before the commit. Missing
   * if one process has the database.
   */
  together?<T>(run: (transact: Transactor['transact']) => Promise<T>): Promise<T>
  /** Finishes pending transactions, runs the last ones, then closes the database. Rejects all others meanwhile. */
  close(last?: (transact: Transactor['transact']) => Promise<void>): Promise<void>
}

/** A tenant's transaction. */
export interface TenantContext {
  readonly db: Executor
  /** The key of its content. */
  readonly tenant: string
}

/** The key of a tenant. */
export interface TenantKey {
  tenant: string
}
