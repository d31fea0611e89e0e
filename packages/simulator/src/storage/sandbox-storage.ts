import type { AttemptOutcome, EventRecord, LeadRecord, Storage, Tables } from '@lead-distribution/engine'
import type { BackendAnswer } from './deliveries.ts'
import type { CallbackFilter, CallbackLease, FoundLeads, LeadFilter, LeadSearch, ListedCustomer } from './filters.ts'
import type {
  InboxEntry,
  NewestIds,
  NumberedInboxEntry,
  Postponement,
  RequestRecord,
  SandboxCallback,
  ScheduledReport,
  TenantDocuments,
} from './records.ts'
import type { SharedStorage, StreamEvent } from './shared-storage.ts'
import type { ListedTenant, TenantRecord } from './tenant-record.ts'

/** A tenant's state at some time, stored under a name. */
export interface SnapshotRecord {
  name: string
  /** Milliseconds since 1970, real time. */
  saved_at: number
}

/** A snapshot, to read from. */
export interface OpenSnapshot extends SnapshotRecord {
  readonly record: TenantRecord
  readonly storage: Storage<SandboxTables>
}

/** All that is stored of a tenant, as it is stored: the rows of each table. */
export interface RawTenant {
  readonly record: unknown
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
}

/** What {@link SandboxStorage.health} resolves to. */
export type StorageHealth = 'ok' | { readonly problem: string }

/**
 * What the sandbox stores of all tenants. Adapters store; they decide nothing. What cannot be stored rejects with a
 * `StorageUnavailable`, and then nothing of it is stored.
 */
export interface SandboxStorage {
  /** The file or database, for messages. It holds no password. */
  readonly place: string
  /**
   * One tenant's storage, apart from that of every other tenant. Where processes share the storage, a transaction rejects
   * with a `StorageUnavailable` once the tenant has other content than `expected` returns: another process has reset it.
   */
  of(tenant: string, expected?: () => string | undefined): Storage<SandboxTables>
  /** What keeps processes in step that share the storage; left out where one process has it. */
  readonly shared?: SharedStorage | undefined
  /** Adds a tenant. False when the name is taken. Must hold under concurrent calls. */
  addTenant(record: TenantRecord): Promise<boolean>
  /** Replaces the record of a tenant; what it has stays. */
  replaceTenant(record: TenantRecord): Promise<void>
  /** Replaces the record of a tenant and removes all that it has, except its snapshots. All of it or nothing. */
  clearTenant(record: TenantRecord): Promise<void>
  /** Removes a tenant with all that it has, its snapshots too. */
  deleteTenant(tenant: string): Promise<void>
  /** Every tenant, oldest first. */
  listTenants(): Promise<ListedTenant[]>
  /**
   * All that is stored of a tenant, whatever is wrong with it; undefined where that is more than so many characters, or there
   * is no such tenant. Left out where nothing that is stored can be wrong.
   */
  readRaw?(tenant: string, maxCharacters: number): Promise<RawTenant | undefined>
  /** Stores a tenant and all that it has under a name, in place of an earlier snapshot of that name. Leases are left out. */
  saveSnapshot(tenant: string, snapshot: SnapshotRecord): Promise<void>
  /**
   * Restores a tenant and all that it had; its snapshots stay. `finish` adjusts what was restored in the same
   * transaction: its record becomes the tenant's. Undefined where there is no snapshot of the name.
   */
  restoreSnapshot<Restored extends { readonly record: TenantRecord }>(
    tenant: string,
    name: string,
    finish: (saved: TenantRecord, tables: SandboxTables) => Promise<Restored>,
  ): Promise<Restored | undefined>
  /** The snapshots of a tenant, oldest first. */
  listSnapshots(tenant: string): Promise<SnapshotRecord[]>
  deleteSnapshot(tenant: string, name: string): Promise<void>
  /** A snapshot to read from; undefined where there is none. What is read after it was deleted is not complete. */
  openSnapshot(tenant: string, name: string): Promise<OpenSnapshot | undefined>
  /** Stores what `fill` writes as a snapshot, in place of an earlier one of its name, all of it or nothing. */
  addSnapshot(
    tenant: string,
    snapshot: SnapshotRecord & { readonly record: TenantRecord },
    fill: (storage: Storage<SandboxTables>) => Promise<void>,
  ): Promise<void>
  /**
   * Removes the oldest leads of a tenant with all that belongs to them, their customers too: up to a lead, and at most so
   * many. Resolves to how many that was.
   */
  removeLeads(tenant: string, through: string, limit: number): Promise<number>
  /** Whether something can be stored now, found out by storing something; the problem names what to do. */
  health(): Promise<StorageHealth>
  /** Writes what is under way and closes files and connections. */
  close(): Promise<void>
}

/** What the sandbox stores of one tenant besides what the engine does. Adapters store; they decide nothing. */
export interface SandboxTables extends Tables {
  /** The newest ids: numbering goes on after them when the tenant is opened again. */
  newestIds(): Promise<NewestIds>
  listLeads(filter: LeadFilter): Promise<LeadRecord[]>
  searchLeads(search: LeadSearch): Promise<FoundLeads>
  /** Customers after one of them, by address and product. */
  listCustomers(limit: number, after?: Pick<ListedCustomer, 'email' | 'product_id'>): Promise<ListedCustomer[]>
  /** Records how the back end of an advertiser answered a lead, in the delivery to it; nothing where there is none. */
  recordBackendAnswer(leadId: string, advertiserId: string, answer: BackendAnswer): Promise<void>
  /** The events of a lead, in the order of recording. */
  listEvents(leadId: string): Promise<EventRecord[]>

  addCallback(callback: SandboxCallback): Promise<void>
  findCallback(callbackId: string): Promise<SandboxCallback | undefined>
  /** The callbacks of a lead, in the order of adding. */
  listCallbacks(leadId: string): Promise<SandboxCallback[]>
  listAllCallbacks(filter: CallbackFilter): Promise<SandboxCallback[]>
  /** Pending callbacks, whether they are leased or held up or not, the one that is due first first. */
  listPendingCallbacks(limit: number): Promise<SandboxCallback[]>
  /** How many callbacks are pending. */
  countPendingCallbacks(): Promise<number>
  /**
   * Up to `limit` pending callbacks that are due and not leased, earliest first, and leases each: no other call
   * gets it before the lease is over. Of one lead only the oldest pending callback is ever given: first in, first
   * out. One that is held as `reorder` is outside that order: it is given when it is due, and none waits for it.
   */
  leaseDueCallbacks(lease: CallbackLease): Promise<SandboxCallback[]>
  /** Records a try, and ends the lease and the hold of the callback. */
  recordAttempt(outcome: AttemptOutcome): Promise<void>
  /**
   * When the next callback is due, on the tenant's clock, of those that are due after a time, where one is given, leased
   * or not; undefined where none is pending.
   */
  nextCallbackDue(after?: number): Promise<number | undefined>
  /** Makes pending callbacks that no fault holds, and that are due later than a time, due at that time. */
  limitRetries(latest: number): Promise<void>
  /** Makes pending callbacks and reports that are due after a time due so many milliseconds earlier. */
  bringForward(ms: number, after: number): Promise<void>
  /** Makes a pending callback that was not tried due at another time, or at the same, and ends the lease. */
  postponeCallback(postponement: Postponement): Promise<void>
  /** Makes the pending callbacks of a lead that are held as `reorder` due at a time. */
  releaseReordered(leadId: string, due_at: number): Promise<void>
  /** Makes a callback of any state pending and due at a time, without lease and hold, its retries counted anew. */
  requeueCallback(callbackId: string, due_at: number): Promise<void>

  addReport(report: ScheduledReport): Promise<void>
  /**
   * The reports that are due by a time on the tenant's clock, earliest first, equal times in the order of adding. Works
   * that ask for them go on one after the other, or get others.
   */
  listDueReports(due_by: number, limit: number): Promise<ScheduledReport[]>
  removeReport(reportId: string): Promise<void>
  /** When the next report is due, of those that are due after a time, where one is given; undefined where none waits. */
  nextReportDue(after?: number): Promise<number | undefined>
  countReports(): Promise<number>

  /**
   * How many scenarios of a chain were applied under a key; 0 where none was. Works that ask for it go on one after the
   * other.
   */
  readChain(key: string): Promise<number>
  /** Sets how many were applied. */
  setChain(key: string, applied: number): Promise<void>
  /** The keys of chains, with how many scenarios of each were applied. */
  listChains(limit: number): Promise<[key: string, applied: number][]>

  /** Adds an entry; its number is one above that of the newest, or 1. */
  addInboxEntry(entry: InboxEntry): Promise<void>
  /** What the tenant's inbox received with a number below `before`, newest first. */
  listInbox(page: { before?: number | undefined; limit: number }): Promise<NumberedInboxEntry[]>
  /** Removes the oldest entries of the inbox, so that this many are left. */
  trimInbox(keep: number): Promise<void>

  /** Adds requests to the journal: in the order of their numbers, all above those that are there. */
  addRequests(requests: readonly RequestRecord[]): Promise<void>
  /**
   * Some of the newest requests with a number below `before`, newest first; none where there are no more. How many
   * is the adapter's choice.
   */
  readRequests(before?: number): Promise<RequestRecord[]>
  /** Removes requests with a number below this one; a few of them may stay where it is cheaper. */
  trimRequests(below: number): Promise<void>

  /** Adds what streams of other processes have of this transaction. Left out where one process has the storage. */
  addStreamEvents?(process: number, events: readonly StreamEvent[]): Promise<void>

  /** All documents that were written. Works that ask for them go on one after the other. */
  readDocuments(): Promise<Partial<TenantDocuments>>
  writeDocument<Name extends keyof TenantDocuments>(name: Name, value: TenantDocuments[Name]): Promise<void>
}
