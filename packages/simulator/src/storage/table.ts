/** A value of a column. */
export type Value = string | number | null

/** An order of a table's records by some of their columns. */
export interface Index {
  /** Column names. `seq` is the order of adding. */
  readonly on: readonly string[]
  /** Only records that have these values are in it. */
  readonly where?: Readonly<Record<string, string>>
}

/** A column that is computed from a record, for an index or a named query, and not read back. */
export interface DerivedColumn<R> {
  readonly type: ColumnType
  of(record: R): Value | undefined
}

export type ColumnType = 'text' | 'integer'

/** A shorter form in which a field is stored. */
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
  /** Columns that named queries read together with the key, so that an index answers without the records. */
  readonly keyCovers: readonly string[]
  readonly indexes: Readonly<Record<IndexName | 'key', Index>>
  /** The index that copies follow. */
  readonly copyBy: string
  /** Columns of leases: copies leave them out, and a storage that one process has clears them when it opens. */
  readonly leases: readonly string[]
  /** True if processes that share the storage follow what the others add. */
  readonly isFollowed: boolean
  /** True if records are numbered in the order of adding. */
  readonly isNumbered: boolean
  /** Never there: carries the type. */
  readonly record?: R
}

type Field<R> = keyof R & string

interface TableDefinition<R> {
  readonly columns: Readonly<Partial<Record<Field<R>, ColumnType>>>
  readonly isFlat?: true
  readonly derived?: Readonly<Record<string, DerivedColumn<R>>>
  readonly packed?: Readonly<Partial<Record<Field<R>, Packing>>>
  readonly key: readonly Field<R>[]
  readonly keyCovers?: readonly Field<R>[]
  readonly indexes?: Readonly<Record<string, Index>>
  /** Default: `key`. */
  readonly copyBy?: string
  readonly leases?: readonly Field<R>[]
  readonly isFollowed?: true
}

/** Declares a table of records of a type. */
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

/** Selects the records of an index between two bounds. */
export interface Range {
  /** The values of the first columns. */
  readonly of?: readonly Value[]
  // The bounds are values of the next columns, compared together. A record without a value there is between no bounds.
  readonly after?: readonly Value[] | undefined
  readonly from?: readonly Value[] | undefined
  readonly before?: readonly Value[] | undefined
  readonly through?: readonly Value[] | undefined
}

/** Selects a page of an index. */
export interface PageRange extends Range {
  /** Default: ascending. */
  readonly order?: 'descending'
  /** Default: unlimited. */
  readonly limit?: number
  /** Locks the records until the transaction ends, except those that another process has locked, which are left out. */
  readonly lock?: 'skip locked'
}

/**
 * A query that SQL answers measurably faster than the primitives do. `run` is the same over the primitives, for storages
 * without SQL.
 */
export interface NamedQuery<Params, Row> {
  readonly name: string
  run(tables: Transaction, params: Params): Promise<Row[]>
}

/**
 * Reads and changes the tables of one tenant in a transaction. Records are never changed, only replaced. A write is visible to
 * the reads after it, and one that fails makes the transaction fail. To replace a record that was read, read it with a lock.
 */
export interface Transaction {
  /** `lock` makes other transactions that lock the record wait until this one ends. */
  get<R extends object>(
    table: Table<R, never>,
    key: readonly Value[],
    options?: { readonly lock?: boolean },
  ): Promise<R | undefined>
  /** Returns the records of a part of an index, in its order. */
  scan<R extends object, Name extends string>(
    table: Table<R, Name>,
    index: Name | 'key',
    range: PageRange,
  ): Promise<R[]>
  /** The same without the JSON: only what has a column. */
  columns<R extends object, Name extends string>(
    table: Table<R, Name>,
    index: Name | 'key',
    range: PageRange,
  ): Promise<Partial<R>[]>
  count<R extends object, Name extends string>(table: Table<R, Name>, index: Name | 'key'): Promise<number>
  query<Params, Row>(query: NamedQuery<Params, Row>, params: Params): Promise<Row[]>
  /** Serializes the transactions that lock the same name, in all processes, until they end. */
  lock(name: string): Promise<void>
  /** Adds a record whose key is new. */
  insert<R extends object>(table: Table<R, never>, record: R): void
  /** Adds a record; returns false if its key is taken. Must hold under concurrent calls. */
  claim<R extends object>(table: Table<R, never>, record: R): Promise<boolean>
  /** Adds a record, or replaces the one that has its key. */
  put<R extends object>(table: Table<R, never>, record: R): void
  /** Adds a record, or adds its number in a column to that of the one that has its key. */
  add<R extends object>(table: Table<R, never>, record: R, column: keyof R & string): void
  /** Removes the records of a part of an index. */
  remove<R extends object, Name extends string>(table: Table<R, Name>, index: Name | 'key', range: Range): void
  /** Set if processes share the storage. */
  readonly shared?: SharedTransaction | undefined
}

/** Tells the other processes what a transaction changed. */
export interface SharedTransaction {
  /** Counts jobs of the tenant as done. */
  countJobs(count: number): void
  /** Marks a document as changed that processes keep in memory. */
  touchTenant(): void
  /** Stores events for the readers of streams in all processes. */
  publish(events: readonly object[]): void
}
