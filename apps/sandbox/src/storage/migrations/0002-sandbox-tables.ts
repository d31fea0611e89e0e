import { type ColumnDefinitionBuilder, type SchemaModule, sql } from 'kysely'
import { type Dialect, type Migration, seqTypes } from './migration.ts'

const required = (column: ColumnDefinitionBuilder) => column.notNull()
const ofTenant = (column: ColumnDefinitionBuilder) => column.notNull().references('tenants.tenant').onDelete('cascade')

/** The journal, scheduled reports, chains, documents, snapshots, and what holds a callback. */
export const sandboxTables: Migration = {
  name: '0002-sandbox-tables',
  up: (schema, dialect) => [
    schema
      .alterTable('tenants')
      .addColumn('snapshot_of', 'text', column => column.references('tenants.tenant').onDelete('cascade')),
    schema.alterTable('tenants').addColumn('saved_at', 'bigint'),
    schema.createIndex('tenants_by_snapshot_of').on('tenants').column('snapshot_of'),
    schema.alterTable('callbacks').addColumn('held', 'text'),
    schema.alterTable('callbacks').addColumn('resent_after', 'integer'),
    schema
      .createTable('requests')
      .addColumn('tenant', 'text', ofTenant)
      .addColumn('first', 'bigint', required)
      .addColumn('last', 'bigint', required)
      .addColumn('entries', 'text', required)
      .addPrimaryKeyConstraint('requests_by_number', ['tenant', 'first']),
    ...reports(schema, dialect),
    oneTree(
      schema
        .createTable('chains')
        .addColumn('tenant', 'text', ofTenant)
        .addColumn('chain', 'text', required)
        .addColumn('plays', 'integer', required)
        .addPrimaryKeyConstraint('chains_by_key', ['tenant', 'chain']),
      dialect,
    ),
    oneTree(
      schema
        .createTable('documents')
        .addColumn('tenant', 'text', ofTenant)
        .addColumn('name', 'text', required)
        .addColumn('value', 'text', required)
        .addPrimaryKeyConstraint('documents_by_name', ['tenant', 'name']),
      dialect,
    ),
  ],
}

function reports(schema: SchemaModule, dialect: Dialect) {
  return [
    schema
      .createTable('reports')
      .addColumn('seq', seqTypes[dialect], column => column.primaryKey())
      .addColumn('tenant', 'text', ofTenant)
      .addColumn('report_id', 'text', required)
      .addColumn('lead_id', 'text', required)
      .addColumn('advertiser_id', 'text', required)
      .addColumn('event', 'text', required)
      .addColumn('due_at', 'bigint', required)
      .addUniqueConstraint('reports_by_id', ['tenant', 'report_id']),
    schema.createIndex('reports_due').on('reports').columns(['tenant', 'due_at', 'seq']),
  ]
}

/** On SQLite, one tree instead of a table and an index. */
function oneTree(table: ReturnType<SchemaModule['createTable']>, dialect: Dialect) {
  return dialect === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table
}
