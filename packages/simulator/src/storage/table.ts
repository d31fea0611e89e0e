/** A column value. */
export type Value = string | number | null

/** An index: an order of a table's records by some columns. */
export interface Index {
  /** Column names. `seq` is the insertion order. */
  readonly on: readonly string[]
  /** Makes a partial index of records with these values. */
  readonly where?: Readonly<Record<string, string>>
}

/** A column computed from a record, for an index or a named query. Not read back. */
export interface DerivedColumn<R> {
  readonly type: ColumnType
  of(record: R): Value | undefined
}

export type ColumnType = 'text' | 'integer'

/** A compact stored form of a field. */
export interface Packing {
  pack(value: unknown): unknown
  unpack(packed: unknown): unknown
}

/** A declared table. `R` is a record, `IndexName` the names of its indexes besides `key`. */
export interface Table<R extends object = object, IndexName extends string = string> {
  readonly name: string
  /** The fields that indexes and named queries read. All other fields are stored as JSON in one column. */
  readonly columns: Readonly<Record<string, ColumnType>>
  /** True if every field has a column. */
  readonly isFlat: boolean
  readonly derived: Readonly<Record<string, DerivedColumn<never>>>
  readonly packed: Readonly<Record<string, Packing>>
  /** The columns that identify a record within its tenant. */
  readonly key: readonly string[]
  /** Columns that named queries read together with the key, so that the key's index covers them. */
  readonly keyCovers: readonly string[]
  readonly indexes: Readonly<Record<IndexName | 'key', Index>>
  /** The index whose order copies preserve. */
  readonly copyBy: string
  /** Lease columns. Copies omit them, and a single-process storage clears them when it opens. */
  readonly leases: readonly string[]
  /** True if processes that share the storage read each other's additions. */
  readonly isFollowed: boolean
  /** True if records are numbered in insertion order. */
  readonly isNumbered: boolean
  /** Phantom field that carries the type. */
  readonly record?: R
}

type Field<R> = keyof R & string

interface TableDefinition<R> {
  readonly columns: Readonly<Partial<Record<Field<R>, ColumnType>>>
  readonly isFlat?: true
  readonly derived?: Readonly<Record<string, DerivedColumn<R>>>
  readonly packed?: Readonly<Partial<Record<Field<R>, Packing>>>
  readonly key: readonly Field<R>[]
  /** Names of columns or derived columns. */
  readonly keyCovers?: readonly string[]
  readonly indexes?: Readonly<Record<string, Index>>
  /** Default: `key`. */
  readonly copyBy?: string
  readonly leases?: readonly Field<R>[]
  readonly isFollowed?: true
}

/** Declares a table with a record type. */
export function table<R extends object>() {
  return <const Definition extends TableDefinition<R>>(
    name: string,
    definition: Definition,
  ): Table<R, keyof Definition['indexes'] & string> => {
    const { columns, derived = {}, packed, key, indexes: more, ...rest }: TableDefinition<R> = definition
    const { isFlat = false, keyCovers = [], copyBy = 'key', leases = [], isFollowed = false } = rest
    const indexes = { key: { on: key }, ...more } as Table<R>['indexes']
    const isNumbered = Object.values(indexes).some(({ on }) => on.includes('seq'))
    return {
      name,
      columns: columns as Table['columns'],
      isFlat,
      derived,
      packed: (packed ?? {}) as Table['packed'],
      key,
      keyCovers,
      indexes,
      copyBy,
      leases,
      isFollowed,
      isNumbered,
    }
  }
}

/** Returns the value of a record's column; null if it has none. */
export function columnOf(table: Table, record: object, column: string): Value {
  const derived = table.derived[column]
  return (derived ? derived.of(record as never) : (record as Record<string, Value | undefined>)[column]) ?? null
}

/** A range of an index, between two bounds. */
export interface Range {
  /** Exact values for the first columns. */
  readonly of?: readonly Value[]
  // The bounds are values of the next columns, compared as tuples. A record with a null there lies within no bounds.
  readonly after?: readonly Value[] | undefined
  readonly from?: readonly Value[] | undefined
  readonly before?: readonly Value[] | undefined
  readonly through?: readonly Value[] | undefined
}

/** A page of an index. */
export interface PageRange extends Range {
  /** Default: ascending. */
  readonly order?: 'descending'
  /** Default: unlimited. */
  readonly limit?: number
  /** Locks the records until the transaction ends. Skips records that another process has locked. */
  readonly lock?: 'skip locked'
}

/**
 * A query that is measurably faster in SQL than with the primitives. `run` implements it with the primitives, for
 * storages without SQL.
 */
export interface NamedQuery<Params, Row> {
  readonly name: string
  run(tables: Transaction, params: Params): Promise<Row[]>
}

/**
 * A transaction on one tenant's tables. Records are immutable and replaced as a whole. Writes are visible to later reads,
 * and a failed write fails the transaction. To replace a record that you read, read it with a lock.
 */
export interface Transaction {
  /** With `lock`, other transactions that lock the record wait until this one ends. */
  get<R extends object>(
    table: Table<R, never>,
    key: readonly Value[],
    options?: { readonly lock?: boolean },
  ): Promise<R | undefined>
  /** Returns the records in a range of an index, in its order. */
  scan<R extends object, Name extends string>(
    table: Table<R, Name>,
    index: Name | 'key',
    range: PageRange,
  ): Promise<R[]>
  /** Like `scan`, but returns only columns, without the JSON. */
  columns<R extends object, Name extends string>(
    table: Table<R, Name>,
    index: Name | 'key',
    range: PageRange,
  ): Promise<Partial<R>[]>
  count<R extends object, Name extends string>(table: Table<R, Name>, index: Name | 'key'): Promise<number>
  query<Params, Row>(query: NamedQuery<Params, Row>, params: Params): Promise<Row[]>
  /** Serializes transactions that lock the same name, across all processes. */
  lock(name: string): Promise<void>
  /** Adds a record with a new key. */
  insert<R extends object>(table: Table<R, never>, record: R): void
  /** Adds a record. Returns false if its key is taken. Must hold under concurrent calls. */
  claim<R extends object>(table: Table<R, never>, record: R): Promise<boolean>
  /** Adds a record, or replaces the one with its key. */
  put<R extends object>(table: Table<R, never>, record: R): void
  /** Adds a record, or adds its value in a column to that of the record with its key. */
  add<R extends object>(table: Table<R, never>, record: R, column: keyof R & string): void
  /** Removes the records in a range of an index. */
  remove<R extends object, Name extends string>(table: Table<R, Name>, index: Name | 'key', range: Range): void
  /** Present if processes share the storage. */
  readonly shared?: SharedTransaction | undefined
}

/** Announces a transaction's changes to other processes. */
export interface SharedTransaction {
  /** Adds to the tenant's count of finished jobs. */
  countJobs(count: number): void
  /** Marks a cached document as changed. */
  touchTenant(): void
  /** Stores events for stream readers in all processes. */
  publish(events: readonly object[]): void
}
