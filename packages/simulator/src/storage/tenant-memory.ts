import type { CustomerRecord, EventRecord, LeadRecord } from '@lead-distribution/engine'
import type { NumberedInboxEntry, RequestRecord, SandboxCallback, ScheduledReport, TenantDocuments } from './records.ts'
import { createDueQueue, createSortedList, type SortedList, type Waiting } from './sorted-list.ts'

/** What one tenant has, in memory. Values in it are replaced and never changed, except maps and queues. */
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
  /** When the lease of a callback ends. */
  readonly leases: Map<string, number>
  readonly reports: Map<string, Waiting<ScheduledReport>>
  readonly dueReports: SortedList<Waiting<ScheduledReport>>
  readonly chains: Map<string, number>
  /** Oldest first. */
  inbox: readonly NumberedInboxEntry[]
  /** In the groups in which they were added, oldest first. */
  requests: readonly (readonly RequestRecord[])[]
  documents: Readonly<Partial<TenantDocuments>>
  /** The last place that was given in the order of adding. */
  place: number
}

/** Ids as they grow. */
export function sortedIds(ids: readonly string[] = []): SortedList<string> {
  return createSortedList((a, b) => a < b, ids.toSorted())
}

/** An empty tenant. */
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
    inbox: [],
    requests: [],
    documents: {},
    place: 0,
  }
}

/** A copy that later writes do not touch, without the leases. */
export function copyTenantMemory(memory: TenantMemory): TenantMemory {
  return {
    ...memory,
    customers: new Map(memory.customers),
    customerPlaces: memory.customerPlaces.copy(),
    leads: new Map(memory.leads),
    leadIds: memory.leadIds.copy(),
    callbackIds: memory.callbackIds.copy(),
    events: new Map(memory.events),
    callbacks: new Map(memory.callbacks),
    callbacksOfLead: new Map(memory.callbacksOfLead),
    pendingCallbacks: memory.pendingCallbacks.copy(),
    leases: new Map(),
    reports: new Map(memory.reports),
    dueReports: memory.dueReports.copy(),
    chains: new Map(memory.chains),
  }
}

/** Which part of a list is wanted. */
export interface Page {
  readonly before?: string | undefined
  readonly limit: number
}

/** The records that are wanted of some ids, newest first: a page costs what it looks at. */
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
