import type { Migration } from './migration.ts'

/**
 * Each key of a tenant's row has the tenant: then a database can be partitioned by it. SQLite, which is not, numbers rows by
 * a key without it.
 */
export const keysByTenant: Migration = ({ processes }) =>
  processes === 'one'
    ? ''
    : `${['leads', 'events', 'callbacks', 'inbox', 'reports']
        .map(table => `alter table ${table} drop constraint ${table}_pkey, add primary key (tenant, seq);`)
        .join('\n  ')}
  -- The key is the same.
  drop index inbox_by_tenant;
`
