import type { Account } from '@lead-distribution/contract'
import { resolveSettings } from '@lead-distribution/contract/shapes'
import type { Reading } from '@lead-distribution/engine'
import { acceptingInbox } from '../callbacks/inbox.ts'
import { noFaults } from '../effects/faults.ts'
import type { NewestIds, TenantDocuments } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import type { ClockState } from '../time/clock.ts'
import type { Urls } from '../urls.ts'

/** Returns a tenant's callback URL: its own, or its inbox. */
export function callbackUrlOf({ tenant, publisher }: TenantRecord, urls: Urls): string {
  return publisher.callback_url ?? urls.inbox(tenant)
}

/**
 * Returns a tenant's account. While the tenant has a listener, the callback URL is that of the listener's receiver. If
 * requests may not be recorded in full, they are masked whatever the record says, because it may come from a sandbox that
 * allows it.
 */
export function accountOf(record: TenantRecord, urls: Urls, mayKeepFull: boolean): Account {
  const { publisher, advertisers, products, blacklist, listener } = record
  const settings = resolveSettings(record.settings)
  return {
    publisher: { ...publisher, callback_url: listener?.forward_to ?? callbackUrlOf(record, urls) },
    advertisers,
    products,
    blacklist,
    settings: { ...settings, ...(settings.journal_bodies === 'full' && !mayKeepFull && { journal_bodies: 'masked' }) },
  }
}

export interface StoredTenant {
  readonly record: TenantRecord
  /** The tenant's documents. */
  readonly state: Readonly<TenantDocuments> & {
    readonly newest: NewestIds
    /** The journal's newest request number; 0 if there are no requests. */
    readonly newestRequest: number
  }
}

/** The part of a shared tenant that processes cache in memory. */
export interface TenantInMemory {
  readonly record: TenantRecord
  readonly version: number
  readonly documents: Partial<TenantDocuments>
}

/** Returns a tenant that was just created or reset, without other stored data. */
export function newTenant(record: TenantRecord): StoredTenant {
  const newest = { lead_id: undefined, callback_id: undefined }
  return { record, state: { newest, newestRequest: 0, ...documentsOf(record, {}) } }
}

/** Reads a tenant's state. `check` throws if a document is invalid. */
export async function readTenant(
  record: TenantRecord,
  tables: Reading<SandboxTables>,
  check = (written: Partial<TenantDocuments>) => written,
): Promise<StoredTenant> {
  const documents = documentsOf(record, check(await tables.readDocuments()))
  const ids = await tables.newestIds()
  const newestRequest = (await tables.readRequests())[0]?.number ?? 0
  // Ids and numbers of expired records are not reused.
  const last = documents.ages.at(-1)
  const newest = {
    lead_id: later(ids.lead_id, last?.newest.lead_id),
    callback_id: later(ids.callback_id, last?.newest.callback_id),
  }
  const state = { newest, newestRequest: Math.max(newestRequest, last?.newestRequest ?? 0), ...documents }
  return { record, state }
}

/** Returns the later of two ids, which sort by age. */
function later(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one
}

/** Returns all documents of a tenant, with initial values for those never written. */
export function documentsOf(record: TenantRecord, written: Partial<TenantDocuments>): TenantDocuments {
  return { clock: initialClock(record), faults: noFaults, inbox: acceptingInbox, ages: [], ...written }
}

/** Returns a clock's initial state. */
function initialClock({ created_from }: Pick<TenantRecord, 'created_from'>): ClockState {
  const { frozen_at } = created_from
  return frozen_at === undefined ? { mode: 'running', ahead_ms: 0 } : { mode: 'frozen', now: frozen_at }
}
