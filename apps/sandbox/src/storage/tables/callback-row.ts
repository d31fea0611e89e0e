import type { CallbackRecord } from '@lead-distribution/engine'
import type { Selectable } from 'kysely'
import type { CallbacksTable } from '../sql/database.ts'

/** A callback as its row holds it. */
export function toCallbackRow(tenant: string, callback: CallbackRecord) {
  const { callback_id, lead_id, event, url, state, due_at = null } = callback
  return { tenant, callback_id, lead_id, event, url, state, due_at, attempts: JSON.stringify(callback.attempts) }
}

/** The callback of a row. */
export function fromCallbackRow(row: Selectable<CallbacksTable>): CallbackRecord {
  const { callback_id, lead_id, event, url, state, due_at, attempts } = row
  const callback = { callback_id, lead_id, event, url, state, attempts: JSON.parse(attempts) }
  return due_at === null ? callback : { ...callback, due_at }
}
