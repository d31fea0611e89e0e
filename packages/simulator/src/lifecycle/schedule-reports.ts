import { acceptedOf, durationMs, type LeadRecord } from '@lead-distribution/engine'
import type { SandboxTables } from '../ports/sandbox-tables.ts'
import type { Lifecycle } from './lifecycle.shape.ts'

/** Schedules what the first advertiser that took a lead is going to report of it; nothing of a lead that nobody took. */
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
