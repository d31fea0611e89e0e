import type { Storage } from '@lead-distribution/engine'
import type { InboxEntry } from '../callbacks/inbox-entry.ts'
import type { TenantRecord } from '../tenants/tenant-record.ts'

/** The ids that a tenant gave last: its numbering goes on behind them after a restart. */
export interface NewestIds {
  /** Of the lead that was added last; undefined where there is none. */
  lead_id: string | undefined
  /** Of the callback that was added last; undefined where there is none. */
  callback_id: string | undefined
}

/** What the sandbox needs remembered of all tenants. Adapters store; they decide nothing. */
export interface SandboxStorage {
  /** One tenant's memory. Leads, events, callbacks and customers of other tenants are not in it. */
  of(tenant: string): Storage
  /** Adds a tenant. False when the name is taken. Must hold under concurrent calls. */
  addTenant(record: TenantRecord): Promise<boolean>
  /** Replaces what is kept of a tenant. */
  replaceTenant(record: TenantRecord): Promise<void>
  /** Removes a tenant with all that it has. */
  deleteTenant(tenant: string): Promise<void>
  /** Every tenant, oldest first. */
  listTenants(): Promise<TenantRecord[]>
  newestIds(tenant: string): Promise<NewestIds>
  addInboxEntry(tenant: string, entry: InboxEntry): Promise<void>
  /** What the tenant's inbox took, oldest first. */
  listInbox(tenant: string): Promise<InboxEntry[]>
  /** Writes what is under way and lets go of files and connections. */
  close(): Promise<void>
}
