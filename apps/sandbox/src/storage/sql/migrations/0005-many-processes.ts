import type { Migration } from './migration.ts'

/**
 * How processes that share a database keep in step. `version` is the number of the transaction that changed a tenant or
 * one of its documents last, `gone` has the keys of content that lost its name, and `counters` the numbers of the next ids.
 */
export const manyProcesses: Migration = ({ processes, tenant, text }) =>
  processes === 'one'
    ? ''
    : `
  alter table tenants add column version bigint not null default pg_current_xact_id()::text::bigint;
  create index tenants_by_version on tenants (version);

  create table gone (
    tenant ${text} primary key,
    version bigint not null default pg_current_xact_id()::text::bigint,
    gone_at timestamptz not null default now()
  );
  create index gone_by_version on gone (version);

  create table counters (
    ${tenant},
    series ${text} not null,
    next bigint not null,
    constraint counters_by_series primary key (tenant, series)
  );
`
