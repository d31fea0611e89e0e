import { StorageUnavailable, TenantChanged, tables } from '@lead-distribution/simulator'
import {
  checkVersion,
  newestVersion,
  postgresDialect,
  type SchemaChange,
  schema,
  schemaChanges,
  unreleased,
  writtenColumns,
} from '../sql/schema.ts'
import { statement } from '../sql/statement.ts'
import type { Database, PostgresConnection } from './connection.ts'

/** The key of the advisory lock, the same in all processes: 'lead' as a number. */
const lock = 0x6c656164

const describe = statement<
  object,
  { database: string; encoding: string; ours: number; unreleased: number; tables: number }
>(
  `select current_database()::text as database, current_setting('server_encoding') as encoding,
     count(*) filter (where tablename = 'sandbox_versions') as ours,
     count(*) filter (where tablename = 'sandbox_migrations') as unreleased, count(*) as tables
   from pg_tables where schemaname = current_schema()`,
)
const readVersion = statement<object, { version: number | null }>('select max(number) as version from sandbox_versions')
const readColumns = statement<object, { name: string }>(
  `select table_name || '.' || column_name as name from information_schema.columns where table_schema = current_schema()`,
)
const addVersion = statement<{ number: number }>('insert into sandbox_versions (number) values (:number)')

/** The number of the database's latest migration, as a column for {@link checkMigrated}. */
export const migratedColumn = '(select max(number) from sandbox_versions) as migrated'

/**
 * Throws if the tables do not have this version. In a transaction that has not read before, the result holds until the
 * end, because a migration waits for those that have read the column.
 */
export function checkMigrated(migrated: number | undefined): void {
  if (migrated !== newestVersion) throw new StorageUnavailable(otherTables)
}

/** The same check as a statement that fails the transaction, so that later statements need not wait for its result. */
export const failUnlessMigrated = statement<object>(
  `select 1 / (max(number) = ${newestVersion})::integer as checked from sandbox_versions`,
)

/** Converts the error of {@link failUnlessMigrated} to a message. */
export function explainFailed(error: Error): Error {
  return error instanceof TenantChanged ? new StorageUnavailable(otherTables) : error
}

/** A condition for statements outside transactions: they only write while the tables have this version. */
export const ifMigrated = `(select max(number) from sandbox_versions) = ${newestVersion}`

const otherTables =
  'Another version of the sandbox has changed the tables of the database: upgrade this process to that version, and restart it.'

/**
 * The lowest transaction number not yet assigned when the statement began. Everything the statement sees from this
 * server has a lower number.
 */
const unused = 'pg_snapshot_xmax(pg_current_snapshot())'

/** Versions are transaction numbers. In a restored dump, they may be ahead of the new server's. */
const renumber = `
  update tenants set version = pg_current_xact_id()::text::bigint where version >= ${unused}::text::bigint;
  delete from gone where version >= ${unused}::text::bigint;
  update requests set version = null where version >= ${unused};
  delete from stream_events where version >= ${unused}`

/**
 * Creates or migrates the tables in one transaction. If several processes start together, one migrates and the others
 * wait. From then on, running processes of an earlier version cannot commit anything.
 */
export async function migrate(
  { connect, where }: Database,
  changes: readonly SchemaChange[] = schemaChanges,
): Promise<void> {
  const connection = await connect({ isPatient: true })
  try {
    await connection.command('begin')
    // A migration may take longer than the usual lock timeout.
    await connection.command('set local lock_timeout = 0')
    await connection.command(`select pg_advisory_xact_lock(${lock})`)
    await runMigrations(connection, where, changes)
    await checkColumns(connection, where)
    await connection.command(renumber)
    await connection.command('commit')
  } finally {
    // An unfinished migration is rolled back with the connection.
    await connection.close()
  }
}

async function runMigrations(
  connection: PostgresConnection,
  where: string,
  changes: readonly SchemaChange[],
): Promise<void> {
  const [found] = (await connection.send(describe, {})).rows
  if (!found) throw new Error('PostgreSQL returned no row.')
  const { database, encoding, ours, tables } = found
  if (encoding !== 'UTF8')
    throw new Error(
      `The database ${database} of ${where} has the encoding ${encoding}, which cannot store every character. Use one with the encoding UTF8: create database NAME encoding 'UTF8' template template0. This one was not changed.`,
    )
  if (found.unreleased > 0) throw unreleased(where)
  if (ours === 0 && tables > 0)
    throw new Error(`${where} contains tables of another program. Use another database; this one was not changed.`)
  const newest = 1 + changes.length
  if (ours === 0) {
    await connection.command('create table sandbox_versions (number integer primary key)')
    await connection.command(schema(postgresDialect))
    await connection.send(addVersion, { number: newest })
    return
  }
  const version = (await connection.send(readVersion, {})).rows[0]?.version ?? 0
  checkVersion(version, where, newest)
  if (version === newest) return
  // Waits for the transactions that have read the version, and makes all later ones read the new version.
  await connection.command('lock table sandbox_versions in access exclusive mode')
  for (const [index, change] of changes.entries()) {
    const number = index + 2
    if (number <= version) continue
    await connection.command(change(postgresDialect))
    await connection.send(addVersion, { number })
  }
}

/** Throws if a column is missing, such as after a partial restore. */
async function checkColumns(connection: PostgresConnection, where: string): Promise<void> {
  const found = new Set((await connection.send(readColumns, {})).rows.map(({ name }) => name))
  const wanted = tables.flatMap(table => writtenColumns(table).map(column => `${table.name}.${column}`))
  const missing = wanted.filter(column => !found.has(column))
  if (missing.length > 0)
    throw new Error(
      `${where} does not have the tables that its version requires (it has no ${missing.join(', ')}). Restore a backup, or use another database; this one was not changed.`,
    )
}
