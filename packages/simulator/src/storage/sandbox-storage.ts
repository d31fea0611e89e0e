import type { Storage } from '@lead-distribution/engine'
import type { SandboxTables } from './sandbox-tables.ts'
import type { LeaseName, SharedStorage } from './shared-storage.ts'
import type { ListedTenant, TenantRecord } from './tenant-record.ts'

/** A tenant's state at a point in time, stored under a name. */
export interface SnapshotRecord {
  name: string
  /** Milliseconds since 1970, real time. */
  saved_at: number
}

export interface OpenSnapshot extends SnapshotRecord {
  readonly record: TenantRecord
  readonly storage: Pick<Storage<SandboxTables>, 'read'>
}

/** A tenant's stored data: the rows of each table. */
export interface RawTenant {
  readonly record: unknown
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
}

/** Access to the storage of a shared tenant. */
export interface SharedAccess {
  /**
   * A transaction rejects with `TenantChanged` once another process has replaced the tenant's content, for example by a
   * reset.
   */
  readonly content: () => string | undefined
  /** If given, a transaction also rejects once the tenant has another version. */
  readonly version?: number | undefined
  /** The lease that its transactions run under and check. */
  readonly lease?: LeaseName
  /** True if a database crash may lose the writes (asynchronous commit). They are faster, and don't wait for others. */
  readonly isRelaxed?: boolean
}

export type StorageHealth = 'ok' | { readonly problem: string }

/** Stores all tenants; makes no decisions. Rejects with `StorageUnavailable` if it cannot store a call. */
export interface SandboxStorage {
  /** The file or database, for messages. Contains no password. */
  readonly place: string
  /** Returns a tenant's storage, isolated from other tenants. */
  of(tenant: string, access?: SharedAccess): Storage<SandboxTables>
  /** Synchronizes processes that share the storage; undefined if a single process uses it. */
  readonly shared?: SharedStorage | undefined
  /** Adds a tenant. Returns false if the name is taken. Must hold under concurrent calls. */
  addTenant(record: TenantRecord): Promise<boolean>
  /** Replaces a tenant's record; its data stays. */
  replaceTenant(record: TenantRecord): Promise<void>
  /** Atomically replaces a tenant's record and removes all its data, except its snapshots. */
  clearTenant(record: TenantRecord): Promise<void>
  /** Removes a tenant with all its data, including its snapshots. */
  deleteTenant(tenant: string): Promise<void>
  /** Lists all tenants, oldest first. */
  listTenants(): Promise<ListedTenant[]>
  /**
   * Reads all stored data of a tenant, even if damaged; undefined if it exceeds the given number of characters, or there
   * is no such tenant. Absent in storages whose data cannot be damaged.
   */
  readRaw?(tenant: string, maxCharacters: number): Promise<RawTenant | undefined>
  /** Saves a tenant and all its data as a snapshot, without leases. Replaces an earlier snapshot with that name. */
  saveSnapshot(tenant: string, snapshot: SnapshotRecord): Promise<void>
  /**
   * Restores a tenant and all its data; its snapshots stay. `finish` adjusts the restored data in the same transaction,
   * and its record becomes the tenant's. Undefined if there is no snapshot with that name.
   */
  restoreSnapshot<Restored extends { readonly record: TenantRecord }>(
    tenant: string,
    name: string,
    finish: (saved: TenantRecord, tables: SandboxTables) => Promise<Restored>,
  ): Promise<Restored | undefined>
  /** Lists a tenant's snapshots, oldest first. */
  listSnapshots(tenant: string): Promise<SnapshotRecord[]>
  deleteSnapshot(tenant: string, name: string): Promise<void>
  /** Opens a snapshot to read; undefined if there is none. Reads after its deletion are incomplete. */
  openSnapshot(tenant: string, name: string): Promise<OpenSnapshot | undefined>
  /** Atomically stores the data that `fill` writes as a snapshot. Replaces an earlier one with the same name. */
  addSnapshot(
    tenant: string,
    snapshot: SnapshotRecord & { readonly record: TenantRecord },
    fill: (storage: Pick<Storage<SandboxTables>, 'transact'>) => Promise<void>,
  ): Promise<void>
  /** Erases removed data from the disk, a moment later. Absent in storages without a file of their own. */
  erase?(): void
  /** Tests the storage with a write. A problem says what to do. */
  health(): Promise<StorageHealth>
  /** Finishes pending writes and closes files and connections. */
  close(): Promise<void>
}
