import type { SandboxTables } from '@lead-distribution/simulator'
import type { Statements } from '../sql/queries.ts'
import type { Executor } from '../sql/statement.ts'

/** One tenant's tables of scheduled reports. */
export function sqlReportTables(db: Executor, statements: Statements, tenant: string) {
  return {
    async addReport({ report_id, lead_id, advertiser_id, event, due_at }) {
      await db.run(statements.addReport, { tenant, report_id, lead_id, advertiser_id, event, due_at })
    },
    async listDueReports(due_by, limit) {
      const rows = await db.all(statements.listDueReports, { tenant, due_by, limit })
      // A row of the database has no prototype.
      return rows.map(row => ({ ...row }))
    },
    async removeReport(report_id) {
      await db.run(statements.removeReport, { tenant, report_id })
    },
    async nextReportDue() {
      return (await db.first(statements.nextReportDue, { tenant }))?.due_at
    },
    async countReports() {
      return (await db.first(statements.countReports, { tenant }))?.count ?? 0
    },
  } satisfies Partial<SandboxTables>
}
