import type { RequestRecord } from './records.ts'
import type { ListedTenant } from './tenant-record.ts'

/** The documents that processes cache in memory, so all processes must notice their changes. */
export const sharedDocuments = ['clock', 'faults', 'inbox'] as const

/** A tenant's shared state at a point in time. Its stored data is untrusted. */
export interface SharedTenant extends ListedTenant {
  /** Identifies the tenant's content. Changes when it is reset, restored, or deleted and recreated. */
  readonly content: string
  /** Changes with every update to the record or to a document that processes cache. */
  readonly version: number
  /** Clock, faults and inbox, if written. */
  readonly documents: Readonly<Partial<Record<(typeof sharedDocuments)[number], unknown>>>
}

/** The changes by all processes since this process last read them. The first time, all tenants. */
export interface SharedChanges {
  readonly tenants: readonly SharedTenant[]
  readonly gone: readonly string[]
  /** The database's clock, in milliseconds since 1970. */
  readonly now: number
  /** True if another process has stream readers. */
  readonly isReadElsewhere: boolean
  /** The events committed by any process, if this one has stream readers; undefined if some may be lost. */
  readonly events: readonly StreamEvent[] | undefined
  /** The requests added to journals, which are events too. */
  readonly requests: readonly { readonly tenant: string; readonly request: RequestRecord }[]
}

/** The tenant of a stream, or null for all tenants. */
export type StreamOf = string | null

/** A stream event as readers get it. */
export interface StreamEvent {
  readonly type: string
  readonly tenant: string
}

/** A hint to other processes to read changes sooner. Correctness does not depend on it. */
export type ProcessMessage =
  /** A tenant's jobs have finished: wake the waiters. */
  | { readonly type: 'progress'; readonly tenant: string }
  /** This process has stream readers: send `published` when stream events are stored. */
  | { readonly type: 'reading' }
  /** Stream events were stored. */
  | { readonly type: 'published' }

/** The series with numbers that are reserved across processes before the write. */
export type Series = 'leads' | 'callbacks'

/**
 * The name of a lease: for changing a tenant as a whole, its clock, the keys of all tenants, or all tenants by a
 * configuration.
 */
export type LeaseName = 'change' | 'clock' | 'keys' | 'configuration'

/** A tenant with unclaimed jobs, and the due time of the first on its clock. */
export interface WaitingTenant {
  readonly tenant: string
  readonly due_at: number
}

/** All tenants, instead of a tenant's name in a lease. */
export const everyTenant = ''

/** Synchronizes processes that share a storage. They share rows and nothing else. */
export interface SharedStorage {
  /** Reads everything committed since the last call. Calls must not overlap. `isRead`: this process has stream readers. */
  readChanges(isRead: boolean): Promise<SharedChanges>
  /** Reserves numbers for this process, at least `from`. Resolves to the first of them. */
  reserve(content: string, series: Series, from: number, count: number): Promise<number>
  /**
   * Starts counting the tenant's finished jobs in all processes, one count at a time. The returned function stops
   * counting and resolves to the number.
   */
  countJobs(content: string): Promise<() => Promise<number>>
  /**
   * Runs something under a tenant's lease, which only one process has at a time. The lease is renewed while the process
   * lives. If it is lost, writes reject with `TenantChanged`: changes to the record or the content, and any write through
   * a storage with a `lease`.
   */
  exclusive<Result>(tenant: string, name: LeaseName, run: () => Promise<Result>): Promise<Result>
  /** Sends a message to the other processes. It may be lost. */
  send(message: ProcessMessage): void
  /** Calls a function with the messages of other processes. */
  onMessage(listener: (message: ProcessMessage) => void): void
  /** Removes old stream events. */
  removeOld(): Promise<void>
  /** Lists the tenants with pending reports or callbacks that no process has leased. */
  listWaiting(): Promise<WaitingTenant[]>
}
