import type { RequestRecord } from './records.ts'
import type { ListedTenant } from './tenant-record.ts'

/** The documents that processes keep in memory: each has to see that they have changed. */
export const sharedDocuments = ['clock', 'faults', 'inbox'] as const

/** A tenant as all processes see it at one moment. What is stored of it is untrusted. */
export interface SharedTenant extends ListedTenant {
  /** Names what the tenant has: another name once it was reset, restored, or deleted and created again. */
  readonly content: string
  /** Differs after each change of the record, and of a document that processes keep in memory. */
  readonly version: number
  /** Clock, faults and inbox, where they were written. */
  readonly documents: Readonly<Partial<Record<(typeof sharedDocuments)[number], unknown>>>
}

/** The changes of all processes since this process last read them; the first time, every tenant. */
export interface SharedChanges {
  readonly tenants: readonly SharedTenant[]
  readonly gone: readonly string[]
  /** The database's clock, milliseconds since 1970. */
  readonly now: number
  /** True if another process has readers of streams. */
  readonly isReadElsewhere: boolean
  /** The events that any process committed, if this one reads streams; undefined if some may be lost. */
  readonly events: readonly StreamEvent[] | undefined
  /** The requests that were added to journals, which are events, too. */
  readonly calls: readonly { readonly tenant: string; readonly request: RequestRecord }[]
}

/** The tenant of a stream, or null for all tenants. */
export type StreamOf = string | null

/** An event of a stream, as its readers get it. */
export interface StreamEvent {
  readonly type: string
  readonly tenant: string
}

/** A hint of one process to the others to read changes sooner. Nothing depends on it. */
export type ProcessMessage =
  /** Jobs of a tenant were done: wake what waits for it. */
  | { readonly type: 'progress'; readonly tenant: string }
  /** Streams are read: send `published` when something is stored for them. */
  | { readonly type: 'reading' }
  /** Something is stored for streams. */
  | { readonly type: 'published' }

/** The series that are numbered across processes before they are written. */
export type Series = 'leads' | 'callbacks'

/**
 * The name of a lease: changing a tenant as a whole, its clock, the keys of all tenants, or all tenants by a configuration.
 * One process at a time does each.
 */
export type LeaseName = 'change' | 'clock' | 'keys' | 'configuration'

/** A job that waits: of which tenant, and when the first is due on its clock. */
export interface WaitingTenant {
  readonly tenant: string
  readonly due_at: number
}

/** In place of the name of a tenant in a lease: all of them. */
export const everyTenant = ''

/** Synchronizes processes that share a storage. They have rows in common, and nothing else. */
export interface SharedStorage {
  /** Reads everything committed since the last time, one call after the other. `isRead`: this process reads streams. */
  readChanges(isRead: boolean): Promise<SharedChanges>
  /** Reserves numbers for one process, at least `from`; resolves to the first of them. */
  reserve(content: string, series: Series, from: number, count: number): Promise<number>
  /**
   * Has the jobs of a tenant counted that any process does from now on, one count at a time; what it resolves to ends that,
   * and resolves to how many those were.
   */
  countJobs(content: string): Promise<() => Promise<number>>
  /**
   * Runs something for a tenant while no process runs something else under this name and tenant: it has a lease, which
   * goes on as long as the process does. What it writes rejects with a `TenantChanged` once the lease is lost: its change of
   * the record or the content, and whatever the storage of a `lease` writes.
   */
  exclusive<Result>(tenant: string, name: LeaseName, run: () => Promise<Result>): Promise<Result>
  /** Sends a message to the other processes. It may be lost. */
  send(message: ProcessMessage): void
  /** Calls a function with the messages of other processes. */
  onMessage(listener: (message: ProcessMessage) => void): void
  /** Removes what was stored for streams a while ago. */
  removeOld(): Promise<void>
  /** The tenants that have reports or callbacks to do which no process is delivering. */
  listWaiting(): Promise<WaitingTenant[]>
}
