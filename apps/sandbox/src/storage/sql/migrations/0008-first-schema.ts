import type { Migration } from './migration.ts'

/** The tables of the first release. Times are milliseconds since 1970; `seq` is the order of adding. */
export const firstSchema: Migration = dialect =>
  [tenantTables, leadTables, callbackTables, journalTables, reportTables, processTables]
    .map(tables => tables(dialect))
    .join('')

/**
 * A tenant or snapshot is a row with a key, and `tenant` in all other tables is that key: other content takes its place in
 * one step. `name` is null for content that is on its way or nobody's any more. No table refers to this one by a foreign
 * key, which would be looked up for each row: the removal takes the content first, then the key.
 */
const tenantTables: Migration = ({ processes, seq, key, text }) => `
  create table tenants (
    ${seq},
    tenant ${text} not null unique,
    record ${text} not null,
    name ${text},
    snapshot_of ${text},
    saved_at bigint${
      processes === 'one'
        ? ''
        : `,
    -- The number of the transaction that changed the tenant or one of its documents last.
    version bigint not null default pg_current_xact_id()::text::bigint`
    }${key('seq')}
  );
  create unique index tenants_by_name on tenants (name);
  create index tenants_by_snapshot_of on tenants (snapshot_of);
`

/**
 * Claims are an index of leads by address, rejected leads have another: a lead is in one of the two. All that leads are
 * searched by is in one more, in their order: a search looks at thousands of them without reading one.
 */
const leadTables: Migration = ({ seq, key, oneTree, text, tenant }) => `
  create table customers (
    ${tenant},
    email ${text} not null,
    product_id ${text} not null,
    lead_id ${text},
    refused_at bigint,
    constraint customers_claim primary key (tenant, email, product_id)
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
    constraint leads_by_id unique (tenant, lead_id)${key('tenant, seq')}
  );
  create index leads_by_status on leads (tenant, status, lead_id);
  create index leads_rejected on leads (tenant, email, lead_id) where status = 'rejected';
  create index leads_searched on leads (tenant, lead_id, status, rejection_reason, product_id, email, received_at);

  create table events (
    ${seq},
    ${tenant},
    lead_id ${text} not null,
    advertiser_id ${text} not null,
    event ${text} not null,
    recorded_at bigint not null,
    report ${text} not null,
    constraint events_claim unique (tenant, lead_id, advertiser_id, event)${key('tenant, seq')}
  );
`

const callbackTables: Migration = ({ seq, key, text, tenant }) => `
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
    held ${text},
    resent_after integer,
    -- How a callback that no event caused differs from the one that it copies, as JSON.
    synthetic ${text},
    constraint callbacks_by_id unique (tenant, callback_id)${key('tenant, seq')}
  );
  create index callbacks_by_lead on callbacks (tenant, lead_id, seq);
  create index callbacks_by_state on callbacks (tenant, state, callback_id);
  -- Only what is pending: delivered callbacks cost nothing here.
  create index callbacks_due on callbacks (tenant, due_at, seq) where state = 'pending';
`

const journalTables: Migration = ({ processes, seq, key, oneTree, text, tenant }) => `
  create table inbox (
    ${seq},
    ${tenant},
    entry ${text} not null${key('tenant, seq')}
  );
  ${processes === 'one' ? 'create index inbox_by_tenant on inbox (tenant, seq);' : ''}

  create table requests (
    ${tenant},
    "first" bigint not null,
    "last" bigint not null,
    entries ${text} not null,
    -- The bodies of each, as JSON; null where none are kept, or no longer.
    bodies ${text}${
      processes === 'one'
        ? ''
        : `,
    -- The transaction that appended them; null where they were restored or copied.
    version xid8`
    },
    constraint requests_by_number primary key (tenant, "first")
  );
  create index requests_with_bodies on requests (tenant, "first") where bodies is not null;
  ${processes === 'one' ? '' : 'create index requests_by_version on requests (version) where version is not null;'}

  create table coverage (
    ${tenant},
    name ${text} not null,
    count bigint not null,
    constraint coverage_by_name primary key (tenant, name)
  ) ${oneTree};
`

const reportTables: Migration = ({ seq, key, oneTree, text, tenant }) => `
  create table reports (
    ${seq},
    ${tenant},
    report_id ${text} not null,
    lead_id ${text} not null,
    advertiser_id ${text} not null,
    event ${text} not null,
    due_at bigint not null,
    constraint reports_by_id unique (tenant, report_id)${key('tenant, seq')}
  );
  create index reports_due on reports (tenant, due_at, seq);

  create table chains (
    ${tenant},
    chain ${text} not null,
    plays integer not null,
    constraint chains_by_key primary key (tenant, chain)
  ) ${oneTree};

  create table documents (
    ${tenant},
    name ${text} not null,
    value ${text} not null,
    constraint documents_by_name primary key (tenant, name)
  ) ${oneTree};
`

/**
 * How processes that share a database keep in step. `gone` has the keys of content that lost its name, `counters` the
 * numbers of the next ids, `leases` who does alone what only one may do. Leases, readers and events of streams are of no use
 * after a crash.
 */
const processTables: Migration = ({ processes, seq, key, tenant, text }) =>
  processes === 'one'
    ? ''
    : `
  create index tenants_by_version on tenants (version);

  create table gone (
    tenant ${text} primary key,
    version bigint not null default pg_current_xact_id()::text::bigint,
    gone_at timestamptz not null default now()
  );
  create index gone_by_version on gone (version);

  create table counters (
    ${tenant} references tenants (tenant) on delete cascade,
    series ${text} not null,
    next bigint not null,
    constraint counters_by_series primary key (tenant, series)
  );

  create unlogged table leases (name ${text} primary key, holder bigint not null, until bigint not null);

  create unlogged table stream_readers (process integer primary key, until bigint not null);

  -- The events of a transaction, the version.
  create unlogged table stream_events (
    ${seq},
    events text not null,
    version xid8 not null default pg_current_xact_id(),
    at timestamptz not null default clock_timestamp()${key('seq')}
  );
  create index stream_events_by_version on stream_events (version);
  create index stream_events_by_time on stream_events (at);
`
