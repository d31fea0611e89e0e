import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Which part of a tenant's list is wanted. */
export interface Page {
  tenant: string
  /** Only what has a smaller id. */
  before: string
  limit: number
}

/** A condition that a column is what was asked for; null asks for nothing. */
export function isOrAny(column: string, value: string | null): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${value} is null or ${sql.ref(column)} = ${value})`
}
