import type { SandboxTables } from '@lead-distribution/simulator'
import type { Statements } from '../sql/queries.ts'
import type { Executor } from '../sql/statement.ts'
import { fromCallbackRow, toCallbackRow } from './callback-row.ts'
import { pageOf } from './page-of.ts'

/** One tenant's tables of callbacks. */
export function sqlCallbackTables(db: Executor, statements: Statements, tenant: string) {
  const find = (callback_id: string) => db.first(statements.findCallback, { tenant, callback_id })

  return {
    async addCallback(callback) {
      await db.run(statements.addCallback, toCallbackRow(tenant, callback))
    },
    async findCallback(callbackId) {
      const row = await find(callbackId)
      return row && fromCallbackRow(row)
    },
    async listCallbacks(lead_id) {
      return (await db.all(statements.listCallbacks, { tenant, lead_id })).map(fromCallbackRow)
    },
    async listAllCallbacks({ lead_id, state = null, ...page }) {
      const asked = { state, ...pageOf(tenant, page) }
      const rows =
        lead_id === undefined
          ? await db.all(statements.listAllCallbacks, asked)
          : await db.all(statements.listCallbacksOfLead, { lead_id, ...asked })
      return rows.map(fromCallbackRow)
    },
    async countPendingCallbacks() {
      return (await db.first(statements.countPendingCallbacks, { tenant }))?.count ?? 0
    },
    async leaseDueCallbacks({ due_by, now, until, limit }) {
      const due = await db.all(statements.dueCallbacks, { tenant, due_by, now, limit })
      for (const { seq } of due) await db.run(statements.leaseCallback, { seq, leased_until: until })
      return due.map(fromCallbackRow)
    },
    async recordAttempt({ callback_id, url, attempt, state, due_at = null }) {
      const row = await find(callback_id)
      if (!row) return
      const attempts = JSON.stringify([...JSON.parse(row.attempts), attempt])
      await db.run(statements.recordAttempt, { seq: row.seq, url, attempts, state, due_at })
    },
    async postponeCallback({ callback_id, due_at, held }) {
      await db.run(statements.postponeCallback, { tenant, callback_id, due_at, held })
    },
    async releaseReordered(lead_id, due_at) {
      await db.run(statements.releaseReordered, { tenant, lead_id, due_at })
    },
    async requeueCallback(callbackId, due_at) {
      const row = await find(callbackId)
      if (!row) return
      const resent_after = fromCallbackRow(row).attempts.length
      await db.run(statements.requeueCallback, { seq: row.seq, due_at, resent_after })
    },
    async nextCallbackDue() {
      return (await db.first(statements.nextCallbackDue, { tenant }))?.due_at ?? undefined
    },
  } satisfies Partial<SandboxTables>
}
