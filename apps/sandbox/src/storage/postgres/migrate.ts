import type { ClientConfig } from 'pg'
import { migrations } from '../sql/migrations/index.ts'
import { postgresDialect } from '../sql/migrations/migration.ts'
import { statement } from '../sql/statement.ts'
import { connect, type PostgresConnection } from './connection.ts'

/** Of all processes that use this database: 'lead' as a number. */
const lock = 0x6c656164

const countTables = statement<object, { ours: number; all: number }>(
  `select count(*) filter (where tablename = 'sandbox_migrations') as ours, count(*) as "all"
   from pg_tables where schemaname = current_schema()`,
)
const countDone = statement<object, { done: number }>('select count(*) as done from sandbox_migrations')
const addDone = statement<{ number: number }>('insert into sandbox_migrations (number) values (:number)')

/**
 * Makes the tables, or brings them up to date, in one transaction. Of processes that start together one does it, and the
 * others wait for it.
 */
export async function migrate(config: ClientConfig, where: string): Promise<void> {
  // Others may migrate for longer than a statement usually waits.
  const connection = await connect({ ...config, lock_timeout: 0, statement_timeout: 0 }, where)
  try {
    await connection.command('begin')
    await connection.command(`select pg_advisory_xact_lock(${lock})`)
    await runMigrations(connection, where)
    await connection.command('commit')
  } finally {
    // What was begun and not committed is rolled back with the connection.
    await connection.close()
  }
}

async function runMigrations(connection: PostgresConnection, where: string): Promise<void> {
  const { ours = 0, all = 0 } = (await connection.send(countTables, {})).rows[0] ?? {}
  if (ours === 0 && all > 0)
    throw new Error(`${where} has tables of something else: name another database, this one was not changed.`)
  if (ours === 0) await connection.command('create table sandbox_migrations (number integer primary key)')
  const done = (await connection.send(countDone, {})).rows[0]?.done ?? 0
  if (done > migrations.length)
    throw new Error(
      `${where} was written by a newer version of the sandbox: use that version, or name another database.`,
    )
  for (const [index, migration] of [...migrations.entries()].slice(done)) {
    await connection.command(migration(postgresDialect))
    await connection.send(addDone, { number: index + 1 })
  }
}
