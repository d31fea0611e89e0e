import { type ColumnDefinitionBuilder, type SchemaModule, sql } from 'kysely'
import { type Dialect, type Migration, seqTypes } from './migration.ts'

const required = (column: ColumnDefinitionBuilder) => column.notNull()
const primary = (column: ColumnDefinitionBuilder) => column.primaryKey()
const ofTenant = (column: ColumnDefinitionBuilder) => column.notNull().references('tenants.tenant').onDelete('cascade')

/** Tenants, and what each has. */
export const firstTables: Migration = {
  name: '0001-first-tables',
  up: (schema, dialect) => [
    schema
      .createTable('tenants')
      .addColumn('seq', seqTypes[dialect], primary)
      .addColumn('tenant', 'text', column => column.notNull().unique())
      .addColumn('record', 'text', required),
    customers(schema, dialect),
    ...leads(schema, dialect),
    schema
      .createTable('events')
      .addColumn('seq', seqTypes[dialect], primary)
      .addColumn('tenant', 'text', ofTenant)
      .addColumn('lead_id', 'text', required)
      .addColumn('advertiser_id', 'text', required)
      .addColumn('event', 'text', required)
      .addColumn('recorded_at', 'bigint', required)
      .addColumn('report', 'text', required)
      .addUniqueConstraint('events_claim', ['tenant', 'lead_id', 'advertiser_id', 'event']),
    ...callbacks(schema, dialect),
    schema
      .createTable('inbox')
      .addColumn('seq', seqTypes[dialect], primary)
      .addColumn('tenant', 'text', ofTenant)
      .addColumn('entry', 'text', required),
    schema.createIndex('inbox_by_tenant').on('inbox').columns(['tenant', 'seq']),
  ],
}

function customers(schema: SchemaModule, dialect: Dialect) {
  const table = schema
    .createTable('customers')
    .addColumn('tenant', 'text', ofTenant)
    .addColumn('product_id', 'text', required)
    .addColumn('email', 'text', required)
    .addColumn('lead_id', 'text')
    .addColumn('refused_at', 'bigint')
    .addPrimaryKeyConstraint('customers_claim', ['tenant', 'product_id', 'email'])
  // One tree instead of a table and an index: a claim writes one page less.
  return dialect === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table
}

function leads(schema: SchemaModule, dialect: Dialect) {
  return [
    schema
      .createTable('leads')
      .addColumn('seq', seqTypes[dialect], primary)
      .addColumn('tenant', 'text', ofTenant)
      .addColumn('lead_id', 'text', required)
      .addColumn('product_id', 'text', required)
      .addColumn('email', 'text', required)
      .addColumn('status', 'text', required)
      .addColumn('rejection_reason', 'text')
      .addColumn('received_at', 'bigint', required)
      .addColumn('submission', 'text', required)
      .addColumn('trace', 'text', required)
      .addColumn('deliveries', 'text', required)
      // Ids of a tenant grow: this one index finds a lead, keeps it single and lists the leads in their order.
      .addUniqueConstraint('leads_by_id', ['tenant', 'lead_id']),
  ]
}

function callbacks(schema: SchemaModule, dialect: Dialect) {
  return [
    schema
      .createTable('callbacks')
      .addColumn('seq', seqTypes[dialect], primary)
      .addColumn('tenant', 'text', ofTenant)
      .addColumn('callback_id', 'text', required)
      .addColumn('lead_id', 'text', required)
      .addColumn('event', 'text', required)
      .addColumn('url', 'text', required)
      .addColumn('state', 'text', required)
      .addColumn('due_at', 'bigint')
      .addColumn('leased_until', 'bigint')
      .addColumn('attempts', 'text', required)
      .addUniqueConstraint('callbacks_by_id', ['tenant', 'callback_id']),
    schema.createIndex('callbacks_by_lead').on('callbacks').columns(['tenant', 'lead_id', 'seq']),
    // Only what is pending: delivered callbacks cost nothing here.
    schema
      .createIndex('callbacks_due')
      .on('callbacks')
      .columns(['tenant', 'due_at', 'seq'])
      .where(sql.ref('state'), '=', sql.lit('pending')),
  ]
}
