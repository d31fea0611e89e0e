import type { ScheduledReport } from '../lifecycle/scheduled-report.ts'
import type { SandboxTables } from '../ports/sandbox-tables.ts'
import type { TenantMemory } from './tenant-memory.ts'
import { deleteLogged, setLogged, type UndoLog } from './undo-log.ts'

/** The tables of scheduled reports over a tenant's memory. */
export function memoryReportTables(memory: TenantMemory, log: UndoLog) {
  const { reports, dueReports } = memory

  return {
    async addReport(record) {
      memory.place += 1
      const report = { record, place: memory.place }
      dueReports.add(report, log)
      setLogged(reports, record.report_id, report, log)
    },
    async listDueReports(due_by, limit) {
      const due: ScheduledReport[] = []
      for (const { record } of dueReports.waiting) {
        if (due.length >= limit || record.due_at > due_by) break
        due.push(record)
      }
      return due
    },
    async removeReport(reportId) {
      const report = reports.get(reportId)
      if (!report) return
      dueReports.remove(report, log)
      deleteLogged(reports, reportId, log)
    },
    async nextReportDue() {
      return dueReports.waiting[0]?.record.due_at
    },
    async countReports() {
      return reports.size
    },
  } satisfies Partial<SandboxTables>
}
