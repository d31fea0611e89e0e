/** The parts of SQL in which databases differ. */
export interface Dialect {
  /** The column `seq`: a primary key that numbers rows in the order of adding. */
  readonly seq: string
  /** What ends a table whose rows are to be kept in the tree of its primary key: a claim then writes one page less. */
  readonly oneTree: string
}

/** SQLite numbers rows by itself; a primary key of type integer is that number. */
export const sqliteDialect: Dialect = { seq: 'seq integer primary key', oneTree: 'without rowid' }

/** One change of the tables, as SQL of a dialect. Never edited once it is released: a later one follows. */
export type Migration = (dialect: Dialect) => string

/** The column of a table with content of tenants: what a tenant has goes with it. */
export const ofTenant = 'tenant text not null references tenants (tenant) on delete cascade'
