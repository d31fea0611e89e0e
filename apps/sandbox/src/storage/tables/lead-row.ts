import type { LeadRecord } from '@lead-distribution/engine'
import type { Selectable } from 'kysely'
import type { LeadsTable } from '../sql/database.ts'
import { fromTraceColumn, toTraceColumn } from './trace-column.ts'

/** A lead as its row holds it. */
export function toLeadRow(tenant: string, lead: LeadRecord) {
  const { lead_id, product_id, email, status, received_at, rejection_reason = null } = lead
  return {
    ...{ tenant, lead_id, product_id, email, status, rejection_reason, received_at },
    submission: JSON.stringify(lead.submission),
    trace: toTraceColumn(lead.trace),
    deliveries: JSON.stringify(lead.deliveries),
  }
}

/** The lead of a row. */
export function fromLeadRow(row: Selectable<LeadsTable>): LeadRecord {
  const { lead_id, product_id, email, status, received_at, rejection_reason } = row
  return {
    ...{ lead_id, product_id, email, status, received_at },
    ...(rejection_reason === null ? {} : { rejection_reason }),
    submission: JSON.parse(row.submission),
    trace: fromTraceColumn(row.trace),
    deliveries: JSON.parse(row.deliveries),
  }
}
