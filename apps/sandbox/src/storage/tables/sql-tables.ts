import type { CustomerRecord, Tables } from '@lead-distribution/engine'
import type { Statements } from '../sql/queries.ts'
import type { Executor } from '../sql/statement.ts'
import { fromCallbackRow, toCallbackRow } from './callback-row.ts'
import { fromEventRow, toEventRow } from './event-row.ts'
import { fromLeadRow, toLeadRow } from './lead-row.ts'

/** One tenant's tables in a SQL database, for the length of one transaction. */
export function sqlTables(db: Executor, statements: Statements, tenant: string): Tables {
  return {
    async findCustomer(product_id, email) {
      const row = await db.first(statements.findCustomer, { tenant, product_id, email })
      if (!row) return undefined
      const customer: CustomerRecord = {}
      if (row.lead_id !== null) customer.lead_id = row.lead_id
      if (row.refused_at !== null) customer.refused_at = row.refused_at
      return customer
    },
    async claimCustomer(product_id, email, lead_id) {
      return (await db.run(statements.claimCustomer, { tenant, product_id, email, lead_id })) === 1
    },
    async markRefused(product_id, email, refused_at) {
      await db.run(statements.markRefused, { tenant, product_id, email, refused_at })
    },
    async addLead(lead) {
      await db.run(statements.addLead, toLeadRow(tenant, lead))
    },
    async findLead(lead_id) {
      const row = await db.first(statements.findLead, { tenant, lead_id })
      return row && fromLeadRow(row)
    },
    async claimEvent(event) {
      return (await db.run(statements.claimEvent, toEventRow(tenant, event))) === 1
    },
    async listEvents(lead_id) {
      return (await db.all(statements.listEvents, { tenant, lead_id })).map(fromEventRow)
    },
    async addCallback(callback) {
      await db.run(statements.addCallback, toCallbackRow(tenant, callback))
    },
    async listCallbacks(lead_id) {
      return (await db.all(statements.listCallbacks, { tenant, lead_id })).map(fromCallbackRow)
    },
    async leaseDueCallbacks({ due_by, now, until, limit }) {
      const due = await db.all(statements.dueCallbacks, { tenant, due_by, now, limit })
      for (const { seq } of due) await db.run(statements.leaseCallback, { seq, leased_until: until })
      return due.map(fromCallbackRow)
    },
    async recordAttempt({ callback_id, url, attempt, state, due_at = null }) {
      const row = await db.first(statements.findCallback, { tenant, callback_id })
      if (!row) return
      const attempts = JSON.stringify([...JSON.parse(row.attempts), attempt])
      await db.run(statements.recordAttempt, { seq: row.seq, url, attempts, state, due_at })
    },
    async nextCallbackDue() {
      return (await db.first(statements.nextCallbackDue, { tenant }))?.due_at ?? undefined
    },
  }
}
