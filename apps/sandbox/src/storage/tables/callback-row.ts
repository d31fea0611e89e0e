import type { SandboxCallback } from '@lead-distribution/simulator'
import type { Selectable } from 'kysely'
import type { CallbacksTable } from '../sql/database.ts'

/** A callback as its row holds it. */
export function toCallbackRow(tenant: string, callback: SandboxCallback) {
  const { callback_id, lead_id, event, url, state, due_at = null, held = null, resent_after = null } = callback
  const attempts = JSON.stringify(callback.attempts)
  return { tenant, callback_id, lead_id, event, url, state, due_at, attempts, held, resent_after }
}

/** The callback of a row. */
export function fromCallbackRow(row: Selectable<CallbacksTable>): SandboxCallback {
  const { callback_id, lead_id, event, url, state, attempts, due_at, held, resent_after } = row
  const callback: SandboxCallback = { callback_id, lead_id, event, url, state, attempts: JSON.parse(attempts) }
  if (due_at !== null) callback.due_at = due_at
  if (held !== null) callback.held = held
  if (resent_after !== null) callback.resent_after = resent_after
  return callback
}
