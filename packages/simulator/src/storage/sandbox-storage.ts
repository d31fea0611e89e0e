import type { Storage } from '@lead-distribution/engine'
import type { SandboxTables } from './sandbox-tables.ts'
import type { LeaseName, SharedStorage } from './shared-storage.ts'
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
  /** Erases from the disk, a moment later, what transactions have removed. Left out by storages without a file of their own. */
  erase?(): void
  /** Finds out whether something can be stored now, by storing something; the problem says what to do. */
  health(): Promise<StorageHealth>
  /** Finishes pending writes, and closes files and connections. */
  close(): Promise<void>
}
