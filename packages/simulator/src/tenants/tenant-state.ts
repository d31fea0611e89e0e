import { takingInbox } from '../callbacks/inbox.ts'
import { noFaults } from '../faults/fault-store.ts'
import type { TenantDocuments } from '../storage/records.ts'
import type { NewestIds, SandboxStorage } from '../storage/sandbox-storage.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import type { ClockState } from '../time/clock.ts'

/** The state of a tenant, besides its record and its rows. */
export interface TenantState extends Readonly<TenantDocuments> {
  readonly newest: NewestIds
  /** The number of the newest request of its journal; 0 where there is none. */
  readonly newestRequest: number
}

/** Reads the state of a tenant; what was never written is as at the start. */
export async function readTenantState(storage: SandboxStorage, record: TenantRecord): Promise<TenantState> {
  const { tenant } = record
  const newest = await storage.newestIds(tenant)
  const { documents, newestRequest } = await storage.of(tenant).transact(async tables => ({
    documents: await tables.readDocuments(),
    newestRequest: (await tables.readRequests())[0]?.number ?? 0,
  }))
  const { clock = initialClock(record), faults = noFaults, inbox = takingInbox, coverage = {} } = documents
  return { newest, newestRequest, clock, faults, inbox, coverage }
}

/** The state of a clock that was never changed. */
export function initialClock({ made }: Pick<TenantRecord, 'made'>): ClockState {
  const frozenAt = made?.frozen_at
  return frozenAt === undefined ? { mode: 'running', ahead_ms: 0 } : { mode: 'frozen', now: frozenAt }
}
