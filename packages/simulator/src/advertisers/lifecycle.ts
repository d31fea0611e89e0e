import { knownStatuses } from '@lead-distribution/contract'
import { acceptedOf, duration, durationMs, type LeadRecord, type Storage } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import type { ScheduledReport } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { Lifecycle } from '../storage/tenant-record.ts'

/** The shape of a lifecycle: what the simulated advertiser reports by itself, and how long after the lead came in. */
export const lifecycle = z
  .array(z.strictObject({ event: z.enum(knownStatuses as [string, ...string[]]), after: duration }))
  .check(z.maxLength(50, 'must hold at most 50 events'))

/** Schedules the reports of the first advertiser that took a lead; none for a lead that no advertiser took. */
export async function scheduleReports(lead: LeadRecord, lifecycle: Lifecycle, tables: SandboxTables): Promise<void> {
  const [advertiser] = acceptedOf(lead.deliveries)
  if (!advertiser) return
  for (const [index, { event, after }] of lifecycle.entries()) {
    await tables.addReport({
      report_id: `${lead.lead_id}/${index}`,
      lead_id: lead.lead_id,
      advertiser_id: advertiser.advertiser_id,
      event,
      due_at: lead.received_at + durationMs(after),
    })
  }
}

/**
 * Makes reports that are due, in order. A report is removed after it was made: one that a killed process did not remove
 * is made again, and the service ignores it as the repeat that it is.
 */
export async function makeReports(
  due: readonly ScheduledReport[],
  storage: Storage<SandboxTables>,
  report: (report: ScheduledReport) => Promise<unknown>,
): Promise<void> {
  for (const scheduled of due) {
    await report(scheduled)
    await storage.transact(tables => tables.removeReport(scheduled.report_id))
  }
}
