import type { EventRecord } from '@lead-distribution/engine'
import type { Selectable } from 'kysely'
import type { EventsTable } from '../sql/database.ts'

/** An event as its row holds it. */
export function toEventRow(tenant: string, record: EventRecord) {
  const { lead_id, advertiser_id, event, recorded_at, ...report } = record
  return { tenant, lead_id, advertiser_id, event, recorded_at, report: JSON.stringify(report) }
}

/** The event of a row. */
export function fromEventRow(row: Selectable<EventsTable>): EventRecord {
  const { lead_id, advertiser_id, event, recorded_at, report } = row
  return { lead_id, advertiser_id, event, recorded_at, ...JSON.parse(report) }
}
