import type { CustomerRecord, EventRecord, LeadRecord } from '@lead-distribution/engine'
import { createDueQueue, type DueQueue, type Waiting } from './due-queue.ts'
import type { NumberedInboxEntry, RequestRecord, SandboxCallback, ScheduledReport, TenantDocuments } from './records.ts'

/** What one tenant has, in memory. Values in it are replaced and never changed, except maps and queues. */
export interface TenantMemory {
  /** By product and address. */
  readonly customers: Map<string, CustomerRecord>
  readonly leads: Map<string, LeadRecord>
  /** By lead, in the order of recording. */
  readonly events: Map<string, readonly EventRecord[]>
  readonly callbacks: Map<string, Waiting<SandboxCallback>>
  /** The ids by lead, in the order of adding. */
  readonly callbacksOfLead: Map<string, readonly string[]>
  /** Only the pending ones, so that the others cost nothing. */
  readonly pendingCallbacks: DueQueue<SandboxCallback>
  /** When the lease of a callback ends. */
  readonly leases: Map<string, number>
  readonly reports: Map<string, Waiting<ScheduledReport>>
  readonly dueReports: DueQueue<ScheduledReport>
  readonly chains: Map<string, number>
  /** Oldest first. */
  inbox: readonly NumberedInboxEntry[]
  /** In the groups in which they were added, oldest first. */
  requests: readonly (readonly RequestRecord[])[]
  documents: Readonly<Partial<TenantDocuments>>
  /** The last place that was given in the order of adding. */
  place: number
}

/** An empty tenant. */
export function createTenantMemory(): TenantMemory {
  return {
    customers: new Map(),
    leads: new Map(),
    events: new Map(),
    callbacks: new Map(),
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
    leads: new Map(memory.leads),
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

/**
 * The records of some ids that are wanted, newest first. By their ids, which grow, and not by the order of adding:
 * of two that came in at once, the later id may have been added first.
 */
export function newestFirst<Item>(
  ids: Iterable<string>,
  { before, limit }: Page,
  find: (id: string) => Item | undefined,
): Item[] {
  const found: Item[] = []
  for (const id of [...ids].sort().reverse()) {
    if (found.length >= limit) break
    const record = before === undefined || id < before ? find(id) : undefined
    if (record !== undefined) found.push(record)
  }
  return found
}
