import { type InboxMode, takingInbox } from '../callbacks/inbox-mode.ts'
import type { ClockState } from '../clock/clock-state.ts'
import { noFaults } from '../faults/fault-book.ts'
import type { FaultBook } from '../faults/fault-record.ts'
import type { NewestIds, SandboxStorage } from '../ports/sandbox-storage.ts'
import type { TenantRecord } from './tenant-record.ts'

/** How a tenant stands, besides what it is and what it has. */
export interface TenantState {
  readonly newest: NewestIds
  /** The number of the newest request of its journal; 0 where there is none. */
  readonly newestRequest: number
  readonly clock: ClockState
  readonly faults: FaultBook
  readonly inbox: InboxMode
  readonly coverage: Readonly<Record<string, number>>
}

/** Reads how a tenant stands; what was never written is as at the start. */
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

/** How the clock of a tenant stands that nobody has touched yet. */
export function initialClock({ made }: Pick<TenantRecord, 'made'>): ClockState {
  const frozenAt = made?.frozen_at
  return frozenAt === undefined ? { mode: 'running', ahead_ms: 0 } : { mode: 'frozen', now: frozenAt }
}
