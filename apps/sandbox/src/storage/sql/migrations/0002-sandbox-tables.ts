import type { Migration } from './migration.ts'

/** The journal, scheduled reports, chains, documents, snapshots, and what holds a callback. */
export const sandboxTables: Migration = ({ seq, oneTree, text, tenant }) => `
  alter table tenants add column snapshot_of ${text} references tenants (tenant) on delete cascade;
  alter table tenants add column saved_at bigint;
  create index tenants_by_snapshot_of on tenants (snapshot_of);

  alter table callbacks add column held ${text};
  alter table callbacks add column resent_after integer;

  create table requests (
    ${tenant},
    "first" bigint not null,
    "last" bigint not null,
    entries ${text} not null,
    constraint requests_by_number primary key (tenant, "first")
  );

  create table reports (
    ${seq},
    ${tenant},
    report_id ${text} not null,
    lead_id ${text} not null,
    advertiser_id ${text} not null,
    event ${text} not null,
    due_at bigint not null,
    constraint reports_by_id unique (tenant, report_id)
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
