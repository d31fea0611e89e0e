import type { Clock, Storage } from '@lead-distribution/engine'
import type { SandboxTables } from '../ports/sandbox-tables.ts'
import type { ScheduledReport } from './scheduled-report.ts'

/** What reporting by itself needs. */
export interface DueReports {
  readonly storage: Storage<SandboxTables>
  readonly clock: Clock
  /** Reports an event through the service's own endpoint. */
  readonly report: (report: ScheduledReport) => Promise<unknown>
}

const batchSize = 16

/**
 * Has the simulated advertiser report what is due, in order; answers how much that was. A report is forgotten after it
 * was made: one that a killed process did not forget is made again, and the service takes it for the repeat it is.
 */
export async function reportDue({ storage, clock, report }: DueReports): Promise<number> {
  const due = await storage.transact(tables => tables.listDueReports(clock.now(), batchSize))
  for (const scheduled of due) {
    await report(scheduled)
    await storage.transact(tables => tables.removeReport(scheduled.report_id))
  }
  return due.length
}
