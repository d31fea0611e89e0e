import type { EventRecord } from '@lead-distribution/engine'
import type { SandboxTables } from '@lead-distribution/simulator'
import { fromColumn, statement, type TableContext, type TenantKey, toColumn } from './statement.ts'

/** A row of `events`. `report` is how the event was reported, as JSON. */
interface EventRow extends TenantKey {
  lead_id: string
  advertiser_id: string
  event: string
  recorded_at: number
  report: string
}

/** Statements for events. */
const eventStatements = {
  /** Changes no row where the lead has the event of this advertiser already. */
  claimEvent: statement<EventRow>(
    `insert into events (tenant, lead_id, advertiser_id, event, recorded_at, report)
     values (:tenant, :lead_id, :advertiser_id, :event, :recorded_at, :report)
     on conflict (tenant, lead_id, advertiser_id, event) do nothing`,
  ),
  listEvents: statement<Pick<EventRow, 'tenant' | 'lead_id'> & { through: string }, EventRow>(
    'select * from events where tenant = :tenant and lead_id >= :lead_id and lead_id <= :through order by seq',
  ),
}

/** One tenant's table of events. */
export const eventTables = {
  async claimEvent({ lead_id, advertiser_id, event, recorded_at, ...report }) {
    const { tenant } = this
    const row = { tenant, lead_id, advertiser_id, event: toColumn(event), recorded_at, report: JSON.stringify(report) }
    return (await this.db.run(eventStatements.claimEvent, row)) === 1
  },
  async listEvents(lead_id, through = lead_id) {
    return (await this.db.all(eventStatements.listEvents, { tenant: this.tenant, lead_id, through })).map(fromEventRow)
  },
} satisfies Partial<SandboxTables> & ThisType<TableContext>

function fromEventRow({ lead_id, advertiser_id, event, recorded_at, report }: EventRow): EventRecord {
  return { lead_id, advertiser_id, event: fromColumn(event), recorded_at, ...JSON.parse(report) }
}
