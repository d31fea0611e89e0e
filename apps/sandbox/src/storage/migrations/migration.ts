import type { ColumnDataType, Compilable, SchemaModule } from 'kysely'

/** The databases that the SQL is compiled for. */
export type Dialect = 'sqlite'

/** One change of the tables. Never edited once it was released: a later one follows. */
export interface Migration {
  readonly name: string
  readonly up: (schema: SchemaModule, dialect: Dialect) => Compilable[]
}

/** A migration as SQL of one dialect. */
export interface CompiledMigration {
  readonly name: string
  readonly statements: readonly string[]
}

/** The type of a primary key that numbers rows in the order of adding; on SQLite it is the row's own number. */
export const seqTypes: Record<Dialect, ColumnDataType> = { sqlite: 'integer' }
