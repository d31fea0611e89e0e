import { type Insertable, type Kysely, sql } from 'kysely'
import type { Database } from './database.ts'
import { query } from './query.ts'
import type { TenantKey } from './tenant-queries.ts'

/** Queries for scheduled reports. */
export function reportQueries(db: Kysely<Database>) {
  return {
    addReport: query((row: Required<Omit<Insertable<Database['reports']>, 'seq'>>) =>
      db.insertInto('reports').values({
        tenant: row.tenant,
        report_id: row.report_id,
        lead_id: row.lead_id,
        advertiser_id: row.advertiser_id,
        event: row.event,
        due_at: row.due_at,
      }),
    ),
    listDueReports: query(({ tenant, due_by, limit }: TenantKey & { due_by: number; limit: number }) =>
      db
        .selectFrom('reports')
        .select(['report_id', 'lead_id', 'advertiser_id', 'event', 'due_at'])
        .where('tenant', '=', tenant)
        .where('due_at', '<=', due_by)
        .orderBy('due_at')
        .orderBy('seq')
        .limit(limit),
    ),
    removeReport: query(({ tenant, report_id }: TenantKey & { report_id: string }) =>
      db.deleteFrom('reports').where('tenant', '=', tenant).where('report_id', '=', report_id),
    ),
    nextReportDue: query(({ tenant }: TenantKey) =>
      db.selectFrom('reports').select('due_at').where('tenant', '=', tenant).orderBy('due_at').limit(sql.lit(1)),
    ),
    countReports: query(({ tenant }: TenantKey) =>
      db
        .selectFrom('reports')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('tenant', '=', tenant),
    ),
  }
}
