import type { Storage } from '@lead-distribution/engine'
import type { TenantRecord } from '../tenants/tenant-record.ts'
import type { SandboxTables } from './sandbox-tables.ts'

/** The ids that a tenant gave last: its numbering goes on behind them after a restart. */
export interface NewestIds {
  /** Of the lead that was added last; undefined where there is none. */
  lead_id: string | undefined
  /** Of the callback that was added last; undefined where there is none. */
  callback_id: string | undefined
}

/** A tenant as it was at some time, kept under a name. */
export interface SnapshotRecord {
  name: string
  /** Milliseconds since 1970, real time. */
  saved_at: number
}

/** What the sandbox needs remembered of all tenants. Adapters store; they decide nothing. */
export interface SandboxStorage {
  /** One tenant's memory. What other tenants have is not in it. */
  of(tenant: string): Storage<SandboxTables>
  /** Adds a tenant. False when the name is taken. Must hold under concurrent calls. */
  addTenant(record: TenantRecord): Promise<boolean>
  /** Replaces what is kept of a tenant; what it has stays. */
  replaceTenant(record: TenantRecord): Promise<void>
  /** Replaces what is kept of a tenant and removes all that it has, but for its snapshots. All of it or nothing. */
  clearTenant(record: TenantRecord): Promise<void>
  /** Removes a tenant with all that it has, its snapshots too. */
  deleteTenant(tenant: string): Promise<void>
  /** Every tenant, oldest first. */
  listTenants(): Promise<TenantRecord[]>
  newestIds(tenant: string): Promise<NewestIds>
  /** Keeps a tenant and all that it has under a name, in place of what was kept under that name. Leases are not kept. */
  saveSnapshot(tenant: string, snapshot: SnapshotRecord): Promise<void>
  /** Puts a tenant and all that it has back as they were; its snapshots stay. Undefined where there is none of the name. */
  restoreSnapshot(tenant: string, name: string): Promise<TenantRecord | undefined>
  /** The snapshots of a tenant, oldest first. */
  listSnapshots(tenant: string): Promise<SnapshotRecord[]>
  deleteSnapshot(tenant: string, name: string): Promise<void>
  /** Writes what is under way and lets go of files and connections. */
  close(): Promise<void>
}
