import type { CustomerRecord } from '@lead-distribution/engine'
import type { SandboxTables } from '@lead-distribution/simulator'
import { fromEventRow, toEventRow } from './event-row.ts'
import { fromLeadRow, toLeadRow } from './lead-row.ts'
import { pageOf } from './page-of.ts'
import type { SqlContext } from './sql-context.ts'

/** One tenant's tables of customers, leads and events. */
export const sqlLeadTables = {
  async findCustomer(product_id, email) {
    const row = await this.db.first(this.statements.findCustomer, { tenant: this.tenant, product_id, email })
    if (!row) return undefined
    const customer: CustomerRecord = {}
    if (row.lead_id !== null) customer.lead_id = row.lead_id
    if (row.refused_at !== null) customer.refused_at = row.refused_at
    return customer
  },
  async claimCustomer(product_id, email, lead_id) {
    return (await this.db.run(this.statements.claimCustomer, { tenant: this.tenant, product_id, email, lead_id })) === 1
  },
  async markRefused(product_id, email, refused_at) {
    await this.db.run(this.statements.markRefused, { tenant: this.tenant, product_id, email, refused_at })
  },
  async addLead(lead) {
    await this.db.run(this.statements.addLead, toLeadRow(this.tenant, lead))
  },
  async findLead(lead_id) {
    const row = await this.db.first(this.statements.findLead, { tenant: this.tenant, lead_id })
    return row && fromLeadRow(row)
  },
  async listLeads({ status = null, email = null, ...page }) {
    return (await this.db.all(this.statements.listLeads, { status, email, ...pageOf(this.tenant, page) })).map(
      fromLeadRow,
    )
  },
  async claimEvent(event) {
    return (await this.db.run(this.statements.claimEvent, toEventRow(this.tenant, event))) === 1
  },
  async listEvents(lead_id) {
    return (await this.db.all(this.statements.listEvents, { tenant: this.tenant, lead_id })).map(fromEventRow)
  },
} satisfies Partial<SandboxTables> & ThisType<SqlContext>
