/** One SQL statement of one dialect. `Params` is what it is given, `Row` what it answers. */
export interface Statement<Params, Row> {
  readonly sql: string
  /** The names of its parameters, in the order of the placeholders. */
  readonly params: readonly string[]
  /** Never there: carries the types. */
  readonly types?: readonly [Params, Row]
}

/** What every database can hold in a column of ours. */
export type Value = string | number | null

/** Runs statements, one after the other, on what the database is to whoever holds this. */
export interface Executor {
  all<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Promise<Row[]>
  first<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Promise<Row | undefined>
  /** For statements that write: answers how many rows changed. */
  run<Params, Row>(statement: Statement<Params, Row>, params: NoInfer<Params>): Promise<number>
}

/** Runs works in transactions. */
export interface Transactor {
  /**
   * All that the work writes is kept when it fulfils, nothing when it rejects; the promise settles when that is
   * certain. The executor serves until the work settles. A work must not start a transaction and wait for it.
   */
  transact<T>(work: (executor: Executor) => Promise<T>): Promise<T>
  /** Finishes what was begun, then lets go of the database. */
  close(): Promise<void>
}
