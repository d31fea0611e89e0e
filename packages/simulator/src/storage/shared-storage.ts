import type { TenantDocuments } from './records.ts'
import type { TenantRecord } from './tenant-record.ts'

/** A tenant as all processes see it at one moment. */
export interface SharedTenant {
  readonly record: TenantRecord
  /** Names what the tenant has: another name once it was reset, restored, or deleted and created again. */
  readonly content: string
  /** Differs after each change of the record, and of a document that processes keep in memory. */
  readonly version: number
  /** Clock, faults and inbox, where they were written. */
  readonly documents: Pick<Partial<TenantDocuments>, 'clock' | 'faults' | 'inbox'>
}

/** What was changed since the look before, by whichever process; the first look has every tenant. */
export interface SharedChanges {
  readonly tenants: readonly SharedTenant[]
  /** Content that no tenant has any more. */
  readonly gone: readonly string[]
  /** The database's clock, milliseconds since 1970. */
  readonly now: number
}

/** What is numbered across processes. */
export type Series = 'leads' | 'callbacks' | 'requests'

/** A job that waits: of which tenant, and when the first is due on its clock. */
export interface WaitingTenant {
  readonly tenant: string
  readonly due_at: number
}

/** What keeps processes in step that share a storage. */
export interface SharedStorage {
  /** Whatever was committed before is seen. Looks come one after the other. */
  look(): Promise<SharedChanges>
  /** Reserves numbers for one process, at least `from`; resolves to the first of them. */
  reserve(content: string, series: Series, from: number, count: number): Promise<number>
  /**
   * Has the jobs of a tenant counted that any process does from now on, one count at a time; what it resolves to ends that,
   * and resolves to how many those were.
   */
  countJobs(content: string): Promise<() => Promise<number>>
  /** Runs something while no process runs something else under this name. The lock goes with the process. */
  exclusive<Result>(name: string, run: () => Promise<Result>): Promise<Result>
  /** Wakes what waits for a tenant in the other processes. It may be lost with a connection. */
  notify(tenant: string): void
  /** Has a function called with what other processes notify. */
  onNotified(listener: (tenant: string) => void): void
  /** The tenants that have reports or callbacks to do which no process is delivering. */
  listWaiting(): Promise<WaitingTenant[]>
}
