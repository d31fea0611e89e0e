import type {
  AttemptOutcome,
  CallbackState,
  CustomerRecord,
  EventRecord,
  LeadRecord,
  Storage,
  Tables,
} from '@lead-distribution/engine'
import type {
  BackendResponse,
  CallBodies,
  InboxEntry,
  LeasedCallback,
  NewestIds,
  NumberedInboxEntry,
  Postponement,
  RequestEntry,
  RequestRecord,
  SandboxCallback,
  ScheduledReport,
  TenantDocuments,
} from './records.ts'
import type { LeaseName, SharedStorage, StreamEvent } from './shared-storage.ts'
import type { ListedTenant, TenantRecord } from './tenant-record.ts'

/** A tenant's state at some time, stored under a name. */
export interface SnapshotRecord {
  name: string
  /** Milliseconds since 1970, real time. */
  saved_at: number
}

export interface OpenSnapshot extends SnapshotRecord {
  readonly record: TenantRecord
  readonly storage: Pick<Storage<SandboxTables>, 'read'>
}

/** A tenant as it is stored: the rows of each table. */
export interface RawTenant {
  readonly record: unknown
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
}

/** Access to the storage of a tenant that several processes share. */
export interface SharedAccess {
  /** A transaction rejects with a `TenantChanged` once the tenant has other content: another process has reset it. */
  readonly content: () => string | undefined
  /** If it is given, a transaction also rejects once the tenant has another version. */
  readonly version?: number | undefined
  /** The lease under which its transactions run, and which they check. */
  readonly lease?: LeaseName
  /** True for what a crash of the database may take back; it is written sooner, and waits for nothing else. */
  readonly isRelaxed?: boolean
}

export type StorageHealth = 'ok' | { readonly problem: string }

/** Stores all tenants; decides nothing. A call that cannot be stored rejects with a `StorageUnavailable`. */
export interface SandboxStorage {
  /** The file or database, for messages. It holds no password. */
  readonly place: string
  /** One tenant's storage, apart from that of every other tenant. */
  of(tenant: string, access?: SharedAccess): Storage<SandboxTables>
  /** Keeps processes that share the storage in step; undefined if one process has it. */
  readonly shared?: SharedStorage | undefined
  /** Adds a tenant. Returns false if the name is taken. Must hold under concurrent calls. */
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
   * Reads everything that is stored of a tenant, whatever is wrong with it; undefined if that is more than so many characters,
   * or there is no such tenant. Left out by storages in which nothing can be wrong.
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
    fill: (storage: Pick<Storage<SandboxTables>, 'transact'>) => Promise<void>,
  ): Promise<void>
  /** Removes at most so many of the oldest leads, up to one, with all that belongs to them. Resolves to the count. */
  removeLeads(tenant: string, through: string, limit: number): Promise<number>
  /** Finds out whether something can be stored now, by storing something; the problem says what to do. */
  health(): Promise<StorageHealth>
  /** Finishes pending writes, and closes files and connections. */
  close(): Promise<void>
}

/** The tables of one tenant, besides those of the engine. Adapters store; they decide nothing. */
export interface SandboxTables extends Tables {
  /** The newest ids: numbering goes on after them when the tenant is opened again. */
  newestIds(): Promise<NewestIds>
  listLeads(filter: LeadFilter): Promise<LeadRecord[]>
  searchLeads(search: LeadSearch): Promise<FoundLeads>
  /** Counts the leads received from a time on, by time span, status and reason. Looks only at the newest rows. */
  countLeads(count: RecentCount & { readonly span: number }): Promise<LeadCount[]>
  listCustomers(limit: number, after?: Pick<ListedCustomer, 'email' | 'product_id'>): Promise<ListedCustomer[]>
  /** Adds the response of an advertiser's back end to the delivery of a lead, if there is one. */
  recordBackendResponse(leadId: string, advertiserId: string, response: BackendResponse): Promise<void>
  /** The events of a lead, or of all leads from one to another, those of each in the order of recording. */
  listEvents(leadId: string, through?: string): Promise<EventRecord[]>

  addCallback(callback: SandboxCallback): Promise<void>
  findCallback(callbackId: string): Promise<SandboxCallback | undefined>
  /** The callbacks of a lead, or of all leads from one to another, those of each in the order of adding. */
  listCallbacks(leadId: string, through?: string): Promise<SandboxCallback[]>
  listAllCallbacks(filter: CallbackFilter): Promise<SandboxCallback[]>
  /** Pending callbacks, whether they are leased or held up or not, the one that is due first first. */
  listPendingCallbacks(limit: number): Promise<SandboxCallback[]>
  /** Counts by state: pending callbacks, and those last attempted from a time on. Reads only the newest rows. */
  countCallbacks(count: RecentCount): Promise<CallbackCount[]>
  countPendingCallbacks(): Promise<number>
  /**
   * Up to `limit` pending callbacks that are due and not leased, earliest first, and leases each: no other call
   * gets it before the lease is over. Of one lead only the oldest pending callback is ever given: first in, first
   * out. One that is held as `reorder` or is synthetic is outside that order: it is given when it is due, and none waits for it.
   */
  leaseDueCallbacks(lease: CallbackLease): Promise<LeasedCallback[]>
  /**
   * Records a try, and ends the lease and the hold of the callback. One that was requeued during the try stays pending.
   * Stores nothing and returns false if the lease is no longer the callback's: another delivery has it, or had it.
   */
  recordAttempt(outcome: AttemptOutcome, leased: Lease): Promise<boolean>
  /** When the next callback is due on the tenant's clock, optionally after a time; undefined if none is pending. */
  nextCallbackDue(after?: number): Promise<number | undefined>
  /**
   * Brings forward what waits because of a time after `now`, to which the clock was set back: a retry is due as long after
   * `now` as it was due after its last try, and any other callback at `now`. Not those that a fault holds, and no synthetic ones.
   */
  limitRetries(now: number): Promise<void>
  /** Makes pending callbacks and reports that are due after a time due so many milliseconds earlier. */
  bringForward(ms: number, after: number): Promise<void>
  /** Makes a leased callback that was not tried due at another time, or at the same, and ends the lease, if it has it still. */
  postponeCallback(postponement: Postponement, leased: Lease): Promise<void>
  /** Makes the pending callbacks of a lead that are held as `reorder` due at a time. */
  releaseReordered(leadId: string, due_at: number): Promise<void>
  /** Makes a callback of any state pending and due at a time, without hold, its retries counted anew. A lease stays. */
  requeueCallback(callbackId: string, due_at: number): Promise<void>

  addReport(report: ScheduledReport): Promise<void>
  /**
   * The reports that are due by a time on the tenant's clock, earliest first, equal times in the order of adding. Works
   * that ask for them go on one after the other, or get others.
   */
  listDueReports(due_by: number, limit: number): Promise<ScheduledReport[]>
  removeReport(reportId: string): Promise<void>
  /** The due time of the next report, optionally only of those due after a time; undefined if none is pending. */
  nextReportDue(after?: number): Promise<number | undefined>
  countReports(): Promise<number>

  /** Reads how many scenarios of a chain were applied under a key, or 0. Transactions that read it are serialized. */
  readChain(key: string): Promise<number>
  /** Sets how many were applied. */
  setChain(key: string, applied: number): Promise<void>
  /** The keys of chains, with how many scenarios of each were applied. */
  listChains(limit: number): Promise<[key: string, applied: number][]>

  /** Adds an entry; its number is one above that of the newest, or 1. */
  addInboxEntry(entry: InboxEntry): Promise<void>
  /** Lists entries of the inbox with a number below `before`, newest first. */
  listInbox(page: { before?: number | undefined; limit: number }): Promise<NumberedInboxEntry[]>
  /** Removes the oldest entries of the inbox, so that this many are left. */
  trimInbox(keep: number): Promise<void>

  /** Adds requests to the journal: in the order of their numbers, all above those that are there. */
  addRequests(requests: readonly RequestRecord[]): Promise<void>
  /** Adds requests with the next numbers, at least `from`; resolves to what tells the first number. */
  appendRequests(
    requests: readonly RequestEntry[],
    from: number,
    bodies?: readonly (CallBodies | null)[],
  ): Promise<() => Promise<number>>
  /**
   * Returns true if just these requests were appended from a number on: what is known of a transaction whose end is
   * unknown. Left out where one process has the storage.
   */
  hasAppended?(requests: readonly RequestEntry[], from: number): Promise<boolean>
  /**
   * Some of the newest requests with a number below `before`, newest first; none where there are no more. How many
   * is the adapter's choice: about as many as are wanted, by default one.
   */
  readRequests(before?: number, wanted?: number): Promise<RequestRecord[]>
  /** Removes requests with a number below this one; a few of them may stay where it is cheaper. */
  trimRequests(below: number): Promise<void>
  /** The bodies of a request; undefined if they are not kept. */
  readBodies(number: number): Promise<CallBodies | undefined>
  /** Removes the bodies of requests with a number below this one; a few of them may stay where it is cheaper. */
  trimBodies(below: number): Promise<void>

  /** Adds to the coverage: how often each outcome, reason, error and event was seen, by `kind/name`. */
  addCoverage(counts: Readonly<Record<string, number>>): Promise<void>
  readCoverage(): Promise<Record<string, number>>

  /** Adds what streams show of this transaction. Left out where one process has the storage. */
  addStreamEvents?(events: readonly StreamEvent[]): Promise<void>

  /** Reads all documents that were written. Transactions that read them are serialized. */
  readDocuments(): Promise<Partial<TenantDocuments>>
  writeDocument<Name extends keyof TenantDocuments>(name: Name, value: TenantDocuments[Name]): Promise<void>
}

/** Selects leads, newest first. */
export interface LeadFilter {
  readonly status?: LeadRecord['status'] | undefined
  /** In lower case. Finds the leads that claimed it, and those that were rejected. */
  readonly email?: string | undefined
  /** Only leads that are older than this one. */
  readonly before?: string | undefined
  readonly limit: number
}

/** Searches for leads, newest first, among the next ones of a list. */
export interface LeadSearch {
  readonly status?: LeadRecord['status'] | undefined
  readonly reason?: LeadRecord['rejection_reason']
  readonly product_id?: string | undefined
  /** The whole address, in lower case. */
  readonly email?: string | undefined
  /** A part of it; not with the whole. */
  readonly email_part?: string | undefined
  /** Received at this time or later, milliseconds since 1970 on the tenant's clock. */
  readonly from?: number | undefined
  /** Received before this time. */
  readonly to?: number | undefined
  /** Only leads that are older than this one. */
  readonly before?: string | undefined
  /** The number of leads that are looked at, which bounds a search that finds nothing. */
  readonly rows: number
  /** The maximum number to find. */
  readonly limit: number
}

/** The leads of a search, and the lead before which the next search continues; undefined if there are no more. */
export interface FoundLeads {
  readonly leads: readonly LeadRecord[]
  readonly next: string | undefined
}

/** Selects the rows of a count: from a time on, among the newest. */
export interface RecentCount {
  /** Milliseconds since 1970 on the tenant's clock. */
  readonly from: number
  /** The number of rows that are looked at, which bounds the count of a busy tenant. */
  readonly rows: number
}

/** The number of leads of a time span that have one status and reason. */
export interface LeadCount {
  /** The place of the span, from 0: each is `span` milliseconds long, and the first begins at `from`. */
  readonly span: number
  readonly status: LeadRecord['status']
  readonly reason?: LeadRecord['rejection_reason']
  readonly count: number
  /** The time when the first of them was received. */
  readonly first: number
}

/** The number of callbacks in one state. */
export interface CallbackCount {
  readonly state: CallbackState
  readonly count: number
  /** The earliest of their last attempts; undefined if none was tried. */
  readonly first?: number | undefined
}

/** Selects callbacks, newest first. */
export interface CallbackFilter {
  readonly lead_id?: string | undefined
  readonly state?: CallbackState | undefined
  /** Only callbacks that are older than this one. */
  readonly before?: string | undefined
  readonly limit: number
}

/** Identifies the lease of a callback, and shows if the callback was requeued meanwhile. */
export type Lease = Pick<LeasedCallback, 'leased_until' | 'resent_after'>

/** Selects callbacks to lease, and for how long on a monotonic clock: any other may be frozen or set back. */
export interface CallbackLease {
  /** Due by then, milliseconds since 1970 on the tenant's clock. */
  due_by: number
  /** The real time, milliseconds: leases that end by then are over. */
  now: number
  /** The time when the lease ends, milliseconds of the same time. */
  until: number
  limit: number
}

/** A customer with the address and the product. */
export interface ListedCustomer extends CustomerRecord {
  product_id: string
  email: string
}
