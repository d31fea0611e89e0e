import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { migrations } from '../migrations/index.ts'
import type { Dialect } from '../migrations/migration.ts'
import type { Database } from './database.ts'
import { allQueries } from './queries.ts'

const compilers: Record<Dialect, Kysely<Database>> = {
  sqlite: new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: db => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
}

/**
 * The source of a dialect's `.generated.ts`: what Kysely makes of the queries and the migrations. It is made ahead,
 * because loading Kysely takes about as long as starting a bare Express server.
 */
export function generatedSource(dialect: Dialect): string {
  const db = compilers[dialect]
  const statements = Object.entries(allQueries(db)).map(([name, query]) => {
    const { sql, params } = query.compile()
    return `  ${name}: {\n    sql: ${quote(sql)},\n    params: ${JSON.stringify(params)},\n  },`
  })
  const changes = migrations.map(({ name, up }) => {
    const lines = up(db.schema, dialect).map(change => `      ${quote(change.compile().sql)},`)
    return `  {\n    name: '${name}',\n    statements: [\n${lines.join('\n')}\n    ],\n  },`
  })
  return [
    '// Made by Kysely from queries.ts and migrations/. Make it anew: vitest run apps/sandbox/src/storage/sql -u',
    "import type { CompiledMigration } from '../migrations/migration.ts'",
    "import type { Statements } from './queries.ts'",
    '',
    `/** Every statement, for ${dialect}. */`,
    `export const statements: Statements = {\n${statements.join('\n')}\n}`,
    '',
    `/** Every migration, for ${dialect}, oldest first. */`,
    `export const migrations: readonly CompiledMigration[] = [\n${changes.join('\n')}\n]`,
    '',
  ].join('\n')
}

function quote(sql: string): string {
  return `\`${sql.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')}\``
}
