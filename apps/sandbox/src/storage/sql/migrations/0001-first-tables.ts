import type { Migration } from './migration.ts'

/** Tenants, and what each has. Times are milliseconds since 1970; `seq` is the order of adding. */
export const firstTables: Migration = dialect => leadTables(dialect) + eventTables(dialect)

const leadTables: Migration = ({ seq, oneTree, text, tenant }) => `
  create table tenants (
    ${seq},
    tenant ${text} not null unique,
    record ${text} not null
  );

  create table customers (
    ${tenant},
    product_id ${text} not null,
    email ${text} not null,
    lead_id ${text},
    refused_at bigint,
    constraint customers_claim primary key (tenant, product_id, email)
  ) ${oneTree};

  -- Ids of a tenant grow: the one index finds a lead, keeps it single and lists the leads in their order.
  create table leads (
    ${seq},
    ${tenant},
    lead_id ${text} not null,
    product_id ${text} not null,
    email ${text} not null,
    status ${text} not null,
    rejection_reason ${text},
    received_at bigint not null,
    submission ${text} not null,
    trace ${text} not null,
    deliveries ${text} not null,
    constraint leads_by_id unique (tenant, lead_id)
  );
`

const eventTables: Migration = ({ seq, text, tenant }) => `
  create table events (
    ${seq},
    ${tenant},
    lead_id ${text} not null,
    advertiser_id ${text} not null,
    event ${text} not null,
    recorded_at bigint not null,
    report ${text} not null,
    constraint events_claim unique (tenant, lead_id, advertiser_id, event)
  );

  create table callbacks (
    ${seq},
    ${tenant},
    callback_id ${text} not null,
    lead_id ${text} not null,
    event ${text} not null,
    url ${text} not null,
    state ${text} not null,
    due_at bigint,
    leased_until bigint,
    attempts ${text} not null,
    constraint callbacks_by_id unique (tenant, callback_id)
  );
  create index callbacks_by_lead on callbacks (tenant, lead_id, seq);
  -- Only what is pending: delivered callbacks cost nothing here.
  create index callbacks_due on callbacks (tenant, due_at, seq) where state = 'pending';

  create table inbox (
    ${seq},
    ${tenant},
    entry ${text} not null
  );
  create index inbox_by_tenant on inbox (tenant, seq);
`
