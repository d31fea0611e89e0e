import type { CustomerRecord, EventRecord, LeadRecord } from '@lead-distribution/engine'
import type {
  CallBodies,
  NumberedInboxEntry,
  RequestRecord,
  SandboxCallback,
  ScheduledReport,
  TenantDocuments,
} from './records.ts'

/** The content of one tenant in memory. Values are replaced and never changed, except maps and lists. */
export interface TenantMemory {
  /** By product and address. */
  readonly customers: Map<string, CustomerRecord>
  /** The same by address and product, in their order. */
  readonly customerPlaces: SortedList<string>
  readonly leads: Map<string, LeadRecord>
  /** The ids of leads and of callbacks as they grow: of two that came in at once, the later may have been added first. */
  readonly leadIds: SortedList<string>
  readonly callbackIds: SortedList<string>
  /** By lead, in the order of recording. */
  readonly events: Map<string, readonly EventRecord[]>
  readonly callbacks: Map<string, Waiting<SandboxCallback>>
  /** The ids by lead, in the order of adding. */
  readonly callbacksOfLead: Map<string, readonly string[]>
  /** Only the pending ones, so that the others cost nothing. */
  readonly pendingCallbacks: SortedList<Waiting<SandboxCallback>>
  /** The time when the lease of a callback ends. */
  readonly leases: Map<string, number>
  readonly reports: Map<string, Waiting<ScheduledReport>>
  readonly dueReports: SortedList<Waiting<ScheduledReport>>
  readonly chains: Map<string, number>
  readonly coverage: Map<string, number>
  /** Oldest first. */
  inbox: readonly NumberedInboxEntry[]
  /** In the groups in which they were added, oldest first. */
  requests: readonly (readonly RequestRecord[])[]
  /** By the number of the request, oldest first. */
  readonly bodies: Map<number, CallBodies>
  documents: Readonly<Partial<TenantDocuments>>
  /** The last place that was given in the order of adding. */
  place: number
}

export function sortedIds(ids: readonly string[] = []): SortedList<string> {
  return createSortedList((a, b) => a < b, ids.toSorted())
}

/** Creates an empty tenant. */
export function createTenantMemory(): TenantMemory {
  return {
    customers: new Map(),
    customerPlaces: sortedIds(),
    leads: new Map(),
    leadIds: sortedIds(),
    events: new Map(),
    callbacks: new Map(),
    callbackIds: sortedIds(),
    callbacksOfLead: new Map(),
    pendingCallbacks: createDueQueue(),
    leases: new Map(),
    reports: new Map(),
    dueReports: createDueQueue(),
    chains: new Map(),
    coverage: new Map(),
    inbox: [],
    requests: [],
    bodies: new Map(),
    documents: {},
    place: 0,
  }
}

/** Copies a tenant so that later writes do not touch the copy. Leases are left out. */
export function copyTenantMemory(memory: TenantMemory): TenantMemory {
  const parts = Object.entries(memory).map(([name, part]) => [name, copyPart(part)])
  return { ...(Object.fromEntries(parts) as TenantMemory), leases: new Map() }
}

/** Maps and lists are copied; anything else is replaced and never changed. */
function copyPart(part: object | number): unknown {
  if (part instanceof Map) return new Map(part)
  return typeof part === 'object' && 'copy' in part ? (part as SortedList<unknown>).copy() : part
}

/** A part of a list. */
export interface Page {
  readonly before?: string | undefined
  readonly limit: number
}

/** Finds records by their ids, newest first. A page costs what it looks at. */
export function newestFirst<Item>(
  ids: Pick<SortedList<string>, 'items' | 'indexOf'>,
  { before, limit }: Page,
  find: (id: string) => Item | undefined,
): Item[] {
  const found: Item[] = []
  for (let at = before === undefined ? ids.items.length : ids.indexOf(before); at > 0 && found.length < limit; at--) {
    const record = find(ids.items[at - 1] as string)
    if (record !== undefined) found.push(record)
  }
  return found
}

/** Items in an order, no two of them equal in it. What comes last costs least to add. */
export interface SortedList<Item> {
  readonly items: readonly Item[]
  /** The place of an item, or where it would be. */
  indexOf(item: Item): number
  add(item: Item, log: UndoLog): void
  remove(item: Item, log: UndoLog): void
  copy(): SortedList<Item>
}

/** Creates a list in the order of `isBefore`, from items that are in this order. */
export function createSortedList<Item>(isBefore: (a: Item, b: Item) => boolean, items: Item[] = []): SortedList<Item> {
  function indexOf(item: Item): number {
    const last = items.at(-1)
    if (last === undefined || isBefore(last, item)) return items.length
    let low = 0
    let high = items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBefore(items[middle] as Item, item)) low = middle + 1
      else high = middle
    }
    return low
  }
  const insert = (item: Item) => void items.splice(indexOf(item), 0, item)
  const take = (item: Item) => void items.splice(indexOf(item), 1)

  return {
    items,
    indexOf,
    add(item, log) {
      log.push(() => take(item))
      insert(item)
    },
    remove(item, log) {
      log.push(() => insert(item))
      take(item)
    },
    copy: () => createSortedList(isBefore, [...items]),
  }
}

/** A record that waits for its time. */
export interface Waiting<Item> {
  readonly record: Item
  /** Its place in the order of adding. */
  readonly place: number
}

/** Creates a queue: earliest first, equal times in the order of adding, items without a time last. */
export function createDueQueue<Item extends { due_at?: number | undefined }>(): SortedList<Waiting<Item>> {
  const dueOf = ({ record: { due_at = Infinity } }: Waiting<Item>) => due_at
  return createSortedList((a, b) => (dueOf(a) === dueOf(b) ? a.place < b.place : dueOf(a) < dueOf(b)))
}

/** Takes back the writes of a transaction that fails. */
export interface UndoLog {
  /** Adds how to take back a write that is about to happen. */
  push(undo: () => void): void
  /** Takes everything back, last write first. */
  rollBack(): void
  /** Forgets everything: the transaction is over. */
  clear(): void
}

/** Creates an empty log. */
export function createUndoLog(): UndoLog {
  const undos: (() => void)[] = []
  return {
    push: undo => undos.push(undo),
    rollBack: () => {
      for (const undo of undos.reverse()) undo()
    },
    clear() {
      undos.length = 0
    },
  }
}

/** Sets an entry of a map so that the log can take it back. */
export function setLogged<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, log: UndoLog): void {
  const had = map.has(key)
  const before = map.get(key)
  log.push(() => {
    if (had) map.set(key, before as Value)
    else map.delete(key)
  })
  map.set(key, value)
}

/** Deletes an entry of a map so that the log can take it back; it then comes last in the map. */
export function deleteLogged<Key, Value>(map: Map<Key, Value>, key: Key, log: UndoLog): void {
  const before = map.get(key)
  if (!map.delete(key)) return
  log.push(() => map.set(key, before as Value))
}

/** Replaces a property so that the log can take it back. */
export function replaceLogged<Target, Key extends keyof Target>(
  target: Target,
  key: Key,
  value: Target[Key],
  log: UndoLog,
): void {
  const before = target[key]
  log.push(() => {
    target[key] = before
  })
  target[key] = value
}
