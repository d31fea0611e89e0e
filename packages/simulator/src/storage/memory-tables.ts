import type { Storage } from '@lead-distribution/engine'
import { type SandboxTables, sandboxTables } from './sandbox-tables.ts'
import { columnOf, type Index, type PageRange, type Table, type Transaction, type Value } from './table.ts'
import { tables } from './tables.ts'

/** A stored record. Immutable: writes replace it. */
interface Row {
  readonly record: object
  /** Its position in insertion order. */
  readonly seq: number
}

/** A row's index entry. */
interface Entry {
  readonly at: readonly Value[]
  readonly row: Row
}

/** An in-memory table: its rows by key, and a sorted list of entries for each index. */
interface MemoryTable {
  readonly rows: Map<string, Row>
  readonly indexes: Readonly<Record<string, Entry[]>>
  lastSeq: number
}

/** A tenant's in-memory tables. */
export type TenantMemory = ReadonlyMap<string, MemoryTable>

/** Creates an empty tenant. */
export function createTenantMemory(): TenantMemory {
  const create = ({ indexes }: Table): MemoryTable => ({
    rows: new Map(),
    indexes: Object.fromEntries(Object.keys(indexes).map(name => [name, []])),
    lastSeq: 0,
  })
  return new Map(tables.map(table => [table.name, create(table)]))
}

/** Copies a tenant, without leases. Later writes do not affect the copy. */
export function copyTenantMemory(memory: TenantMemory): TenantMemory {
  const copy = createTenantMemory()
  const transaction = memoryTransaction(copy, [])
  for (const table of tables) {
    const withoutLease = Object.fromEntries(table.leases.map(column => [column, undefined]))
    const rows = [...(memory.get(table.name)?.rows.values() ?? [])].toSorted((a, b) => a.seq - b.seq)
    for (const { record } of rows) transaction.insert(table, { ...record, ...withoutLease })
  }
  return copy
}

/** Reverts one write. */
type Undo = () => void

/** Returns a tenant's storage. If `work` rejects, its writes are rolled back. Transactions are not serialized here. */
export function storageOf(memory: TenantMemory): Storage<SandboxTables> {
  async function transact<Result>(work: (tables: SandboxTables) => Promise<Result>): Promise<Result> {
    const undos: Undo[] = []
    try {
      return await work(sandboxTables(memoryTransaction(memory, undos)))
    } catch (error) {
      for (const undo of undos.reverse()) undo()
      throw error
    }
  }
  return { transact, read: transact }
}

function memoryTransaction(memory: TenantMemory, undos: Undo[]): Transaction {
  const of = (table: Table) => memory.get(table.name) as MemoryTable

  /** Replaces or removes the row of a key. */
  function write(table: Table, key: string, row: Row | undefined): void {
    const { rows, indexes } = of(table)
    const before = rows.get(key)
    replaceRow(table, rows, indexes, key, before, row)
    undos.push(() => replaceRow(table, rows, indexes, key, row, before))
  }

  function insert(table: Table, record: object): void {
    const key = keyOf(table, record)
    if (of(table).rows.has(key)) throw new Error(`The table ${table.name} already has a record with this key.`)
    of(table).lastSeq += 1
    write(table, key, { record, seq: of(table).lastSeq })
  }

  function put(table: Table, record: object): void {
    const key = keyOf(table, record)
    const before = of(table).rows.get(key)
    if (before) write(table, key, { record, seq: before.seq })
    else insert(table, record)
  }

  const entries = (table: Table, name: string) => of(table).indexes[name] as Entry[]
  const transaction: Transaction = {
    async get<R extends object>(table: Table, key: readonly Value[]) {
      return of(table).rows.get(key.join('\n'))?.record as R | undefined
    },
    scan: async (table, index, range) => recordsIn(entries(table, index), range),
    columns: async (table, index, range) => recordsIn(entries(table, index), range),
    count: async (table, index) => entries(table, index).length,
    query: (query, params) => query.run(transaction, params),
    lock: async () => undefined,
    insert,
    async claim(table, record) {
      if (of(table).rows.has(keyOf(table, record))) return false
      insert(table, record)
      return true
    },
    put,
    add(table, record, column) {
      const before = of(table).rows.get(keyOf(table, record))?.record
      put(table, {
        ...record,
        [column]: Number(columnOf(table, record, column)) + Number((before as never)?.[column] ?? 0),
      })
    },
    remove(table, index, range) {
      for (const { row } of within(entries(table, index), range)) write(table, keyOf(table, row.record), undefined)
    },
  }
  return transaction
}

function keyOf(table: Table, record: object): string {
  return table.key.map(column => columnOf(table, record, column)).join('\n')
}

function replaceRow(
  table: Table,
  rows: Map<string, Row>,
  indexes: MemoryTable['indexes'],
  key: string,
  before: Row | undefined,
  after: Row | undefined,
): void {
  for (const [name, index] of Object.entries(table.indexes)) {
    const entries = indexes[name] as Entry[]
    if (before) withEntry(table, index, before, entry => entries.splice(placeOf(entries, entry), 1))
    if (after) withEntry(table, index, after, entry => entries.splice(placeOf(entries, entry), 0, entry))
  }
  if (after) rows.set(key, after)
  else rows.delete(key)
}

/** Calls a function with a row's entry, if the index covers the row. */
function withEntry(table: Table, { on, where }: Index, row: Row, use: (entry: Entry) => void): void {
  const isIn = Object.entries(where ?? {}).every(([name, value]) => columnOf(table, row.record, name) === value)
  if (isIn) use({ at: on.map(name => (name === 'seq' ? row.seq : columnOf(table, row.record, name))), row })
}

/** Returns the position of an entry, or its insertion point. Appending is the fast path. */
function placeOf(entries: readonly Entry[], { at }: Entry): number {
  const last = entries.at(-1)
  return last === undefined || compare(last.at, at) < 0 ? entries.length : lowerBound(entries, at, 0)
}

/**
 * Binary search: returns the position of the first entry at or after the prefix (`least` 0), or after all entries with
 * the prefix (1).
 */
function lowerBound(entries: readonly Entry[], prefix: readonly Value[], least: 0 | 1): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare((entries[middle] as Entry).at, prefix) < least) low = middle + 1
    else high = middle
  }
  return low
}

/** Compares an entry with a prefix. Null sorts last. */
function compare(at: readonly Value[], prefix: readonly Value[]): number {
  for (let index = 0; index < prefix.length; index++) {
    const value = prefix[index] ?? null
    const other = at[index] ?? null
    if (other === value) continue
    if (other === null || value === null) return other === null ? 1 : -1
    return other < value ? -1 : 1
  }
  return 0
}

function recordsIn<R extends object>(entries: readonly Entry[], range: PageRange): R[] {
  return within(entries, range).map(({ row }) => row.record as R)
}

/** Returns the entries of a range, in its order. A null value lies within no bounds. */
function within(entries: readonly Entry[], range: PageRange): readonly Entry[] {
  const { of = [], after, from, before, through, order, limit = Infinity } = range
  const isBounded = [after, from, before, through].some(bound => bound !== undefined)
  const start = after ? lowerBound(entries, [...of, ...after], 1) : lowerBound(entries, [...of, ...(from ?? [])], 0)
  const end = through
    ? lowerBound(entries, [...of, ...through], 1)
    : lowerBound(entries, [...of, ...(before ?? (isBounded ? [null] : []))], isBounded ? 0 : 1)
  return order === 'descending'
    ? entries.slice(Math.max(start, end - limit), end).reverse()
    : entries.slice(start, Math.min(end, start + limit))
}
