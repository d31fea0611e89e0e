import type { InboxMode } from '../callbacks/inbox-mode.ts'
import type { ClockState } from '../clock/clock-state.ts'
import type { FaultBook } from '../faults/fault-record.ts'

/** What is kept of a tenant besides its record and its rows: small things that change as a whole. */
export interface TenantDocuments {
  clock: ClockState
  faults: FaultBook
  inbox: InboxMode
  /** How often each outcome, reason, error and event was seen, by `kind/name`. */
  coverage: Record<string, number>
}
