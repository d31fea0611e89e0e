import type { SandboxTables } from '@lead-distribution/simulator'
import { fromCallbackRow, toCallbackRow } from './callback-row.ts'
import { pageOf } from './page-of.ts'
import type { SqlContext } from './sql-context.ts'

/** One tenant's tables of callbacks. */
export const sqlCallbackTables = {
  async addCallback(callback) {
    await this.db.run(this.statements.addCallback, toCallbackRow(this.tenant, callback))
  },
  async findCallback(callbackId) {
    const row = await find(this, callbackId)
    return row && fromCallbackRow(row)
  },
  async listCallbacks(lead_id) {
    return (await this.db.all(this.statements.listCallbacks, { tenant: this.tenant, lead_id })).map(fromCallbackRow)
  },
  async listAllCallbacks({ lead_id, state = null, ...page }) {
    const asked = { state, ...pageOf(this.tenant, page) }
    const rows =
      lead_id === undefined
        ? await this.db.all(this.statements.listAllCallbacks, asked)
        : await this.db.all(this.statements.listCallbacksOfLead, { lead_id, ...asked })
    return rows.map(fromCallbackRow)
  },
  async countPendingCallbacks() {
    return (await this.db.first(this.statements.countPendingCallbacks, { tenant: this.tenant }))?.count ?? 0
  },
  async leaseDueCallbacks({ due_by, now, until, limit }) {
    const due = await this.db.all(this.statements.dueCallbacks, { tenant: this.tenant, due_by, now, limit })
    for (const { seq } of due) await this.db.run(this.statements.leaseCallback, { seq, leased_until: until })
    return due.map(fromCallbackRow)
  },
  async recordAttempt({ callback_id, url, attempt, state, due_at = null }) {
    const row = await find(this, callback_id)
    if (!row) return
    const attempts = JSON.stringify([...JSON.parse(row.attempts), attempt])
    await this.db.run(this.statements.recordAttempt, { seq: row.seq, url, attempts, state, due_at })
  },
  async postponeCallback({ callback_id, due_at, held }) {
    await this.db.run(this.statements.postponeCallback, { tenant: this.tenant, callback_id, due_at, held })
  },
  async releaseReordered(lead_id, due_at) {
    await this.db.run(this.statements.releaseReordered, { tenant: this.tenant, lead_id, due_at })
  },
  async requeueCallback(callbackId, due_at) {
    const row = await find(this, callbackId)
    if (!row) return
    const resent_after = fromCallbackRow(row).attempts.length
    await this.db.run(this.statements.requeueCallback, { seq: row.seq, due_at, resent_after })
  },
  async nextCallbackDue() {
    return (await this.db.first(this.statements.nextCallbackDue, { tenant: this.tenant }))?.due_at ?? undefined
  },
} satisfies Partial<SandboxTables> & ThisType<SqlContext>

function find({ db, statements, tenant }: SqlContext, callback_id: string) {
  return db.first(statements.findCallback, { tenant, callback_id })
}
