import type { LeadRecord } from '@lead-distribution/engine'
import type { Insertable, Kysely } from 'kysely'
import type { Database } from './database.ts'
import { isOrAny, type Page } from './page.ts'
import { query } from './query.ts'

/** What identifies a customer. */
export interface CustomerKey {
  tenant: string
  product_id: string
  email: string
}

/** What identifies a lead of a tenant. */
export interface LeadKey {
  tenant: string
  lead_id: string
}

/** Queries for customers, leads and events. */
export function leadQueries(db: Kysely<Database>) {
  return {
    findCustomer: query(({ tenant, product_id, email }: CustomerKey) =>
      db
        .selectFrom('customers')
        .select(['lead_id', 'refused_at'])
        .where('tenant', '=', tenant)
        .where('product_id', '=', product_id)
        .where('email', '=', email),
    ),
    /** Changes no row where another lead has the address. */
    claimCustomer: query(({ tenant, product_id, email, lead_id }: CustomerKey & LeadKey) =>
      db
        .insertInto('customers')
        .values({ tenant, product_id, email, lead_id })
        .onConflict(conflict =>
          conflict
            .columns(['tenant', 'product_id', 'email'])
            .doUpdateSet(row => ({ lead_id: row.ref('excluded.lead_id') }))
            .where('customers.lead_id', 'is', null),
        ),
    ),
    markRefused: query(({ tenant, product_id, email, refused_at }: CustomerKey & { refused_at: number }) =>
      db
        .insertInto('customers')
        .values({ tenant, product_id, email, refused_at })
        .onConflict(conflict =>
          conflict
            .columns(['tenant', 'product_id', 'email'])
            .doUpdateSet(row => ({ refused_at: row.ref('excluded.refused_at') })),
        ),
    ),
    addLead: query((row: Required<Omit<Insertable<Database['leads']>, 'seq'>>) =>
      db.insertInto('leads').values({
        tenant: row.tenant,
        lead_id: row.lead_id,
        product_id: row.product_id,
        email: row.email,
        status: row.status,
        rejection_reason: row.rejection_reason,
        received_at: row.received_at,
        submission: row.submission,
        trace: row.trace,
        deliveries: row.deliveries,
      }),
    ),
    findLead: query(({ tenant, lead_id }: LeadKey) =>
      db.selectFrom('leads').selectAll().where('lead_id', '=', lead_id).where('tenant', '=', tenant),
    ),
    listLeads: query(
      ({
        tenant,
        status,
        email,
        before,
        limit,
      }: Page & { status: LeadRecord['status'] | null; email: string | null }) =>
        db
          .selectFrom('leads')
          .selectAll()
          .where('tenant', '=', tenant)
          .where('lead_id', '<', before)
          .where(isOrAny('status', status))
          .where(isOrAny('email', email))
          .orderBy('lead_id', 'desc')
          .limit(limit),
    ),
    /** Changes no row where the lead has the event of this advertiser already. */
    claimEvent: query((row: Required<Omit<Insertable<Database['events']>, 'seq'>>) =>
      db
        .insertInto('events')
        .values({
          tenant: row.tenant,
          lead_id: row.lead_id,
          advertiser_id: row.advertiser_id,
          event: row.event,
          recorded_at: row.recorded_at,
          report: row.report,
        })
        .onConflict(conflict => conflict.columns(['tenant', 'lead_id', 'advertiser_id', 'event']).doNothing()),
    ),
    listEvents: query(({ tenant, lead_id }: LeadKey) =>
      db.selectFrom('events').selectAll().where('tenant', '=', tenant).where('lead_id', '=', lead_id).orderBy('seq'),
    ),
  }
}
