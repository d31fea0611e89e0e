import type { CallbackState } from '@lead-distribution/engine'
import type { CallbackHold, Lease, SandboxCallback } from '@lead-distribution/simulator'
import type { TenantKey } from './statement.ts'

/** The key of a callback. */
export interface CallbackKey extends TenantKey {
  callback_id: string
}

/** The columns of a new callback. */
export interface NewCallbackRow extends CallbackKey {
  lead_id: string
  event: string
  url: string
  state: CallbackState
  due_at: number | null
  /** Every try so far, as JSON. */
  attempts: string
  held: CallbackHold | null
  resent_after: number | null
  /** A `SyntheticCallback` as JSON; null for the callback of an event. */
  synthetic: string | null
}

/** A row of `callbacks`; `seq` is the order of adding. */
export interface CallbackRow extends NewCallbackRow {
  seq: number
  /** Real time; null while no process delivers it. */
  leased_until: number | null
}

/** Returns true if a row has the lease of a delivery still. */
export function hasLease(row: CallbackRow | undefined, { leased_until }: Lease): row is CallbackRow {
  return row?.state === 'pending' && row.leased_until === leased_until
}

/** Returns true if the callback of a row was requeued since it was leased. */
export function isRequeued(row: CallbackRow, { resent_after }: Lease): boolean {
  return row.resent_after !== (resent_after ?? null)
}

/** A callback as its row holds it. */
export function toCallbackRow(tenant: string, callback: SandboxCallback): NewCallbackRow {
  const { callback_id, lead_id, event, url, state, due_at = null, held = null, resent_after = null } = callback
  const attempts = JSON.stringify(callback.attempts)
  const synthetic = callback.synthetic ? JSON.stringify(callback.synthetic) : null
  return { tenant, callback_id, lead_id, event, url, state, due_at, attempts, held, resent_after, synthetic }
}

/** The callback of a row. */
export function fromCallbackRow(row: CallbackRow): SandboxCallback {
  const { callback_id, lead_id, event, url, state, attempts, due_at, held, resent_after, synthetic } = row
  const callback: SandboxCallback = { callback_id, lead_id, event, url, state, attempts: JSON.parse(attempts) }
  if (due_at !== null) callback.due_at = due_at
  if (held !== null) callback.held = held
  if (resent_after !== null) callback.resent_after = resent_after
  if (synthetic !== null) callback.synthetic = JSON.parse(synthetic)
  return callback
}
