import type { CustomerRecord } from '@lead-distribution/engine'
import type { SandboxTables } from '@lead-distribution/simulator'
import type { Statements } from '../sql/queries.ts'
import type { Executor } from '../sql/statement.ts'
import { fromEventRow, toEventRow } from './event-row.ts'
import { fromLeadRow, toLeadRow } from './lead-row.ts'
import { pageOf } from './page-of.ts'

/** One tenant's tables of customers, leads and events. */
export function sqlLeadTables(db: Executor, statements: Statements, tenant: string) {
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
    async listLeads({ status = null, email = null, ...page }) {
      return (await db.all(statements.listLeads, { status, email, ...pageOf(tenant, page) })).map(fromLeadRow)
    },
    async claimEvent(event) {
      return (await db.run(statements.claimEvent, toEventRow(tenant, event))) === 1
    },
    async listEvents(lead_id) {
      return (await db.all(statements.listEvents, { tenant, lead_id })).map(fromEventRow)
    },
  } satisfies Partial<SandboxTables>
}
