import type { SandboxTables } from '@lead-distribution/simulator'
import type { SqlContext } from './sql-context.ts'

/** One tenant's tables of scheduled reports. */
export const sqlReportTables = {
  async addReport({ report_id, lead_id, advertiser_id, event, due_at }) {
    await this.db.run(this.statements.addReport, {
      tenant: this.tenant,
      report_id,
      lead_id,
      advertiser_id,
      event,
      due_at,
    })
  },
  async listDueReports(due_by, limit) {
    const rows = await this.db.all(this.statements.listDueReports, { tenant: this.tenant, due_by, limit })
    // A row of the database has no prototype.
    return rows.map(row => ({ ...row }))
  },
  async removeReport(report_id) {
    await this.db.run(this.statements.removeReport, { tenant: this.tenant, report_id })
  },
  async nextReportDue() {
    return (await this.db.first(this.statements.nextReportDue, { tenant: this.tenant }))?.due_at
  },
  async countReports() {
    return (await this.db.first(this.statements.countReports, { tenant: this.tenant }))?.count ?? 0
  },
} satisfies Partial<SandboxTables> & ThisType<SqlContext>
