import { StorageUnavailable, TenantChanged } from '@lead-distribution/simulator'
import {
  checkVersion,
  newestVersion,
  postgresDialect,
  type SchemaChange,
  schema,
  schemaChanges,
  unreleased,
} from '../sql/schema.ts'
import { statement } from '../sql/statement.ts'
import type { Database, PostgresConnection } from './connection.ts'

/** Of all processes that use this database: 'lead' as a number. */
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
const addVersion = statement<{ number: number }>('insert into sandbox_versions (number) values (:number)')

/** The number of the newest migration that the database has had, as a column to {@link checkMigrated}. */
export const migratedColumn = '(select max(number) from sandbox_versions) as migrated'

/**
 * Throws if the tables are no longer those of this version. Within a transaction that has not read before, it holds until
 * the end: a migration waits for those that have read the column.
 */
export function checkMigrated(migrated: number | undefined): void {
  if (migrated !== newestVersion) throw new StorageUnavailable(otherTables)
}

/** The same as a statement that fails the transaction: what follows need not wait for its answer. */
export const failUnlessMigrated = statement<object>(
  `select 1 / (max(number) = ${newestVersion})::integer as checked from sandbox_versions`,
)

/** The error of {@link failUnlessMigrated} in words. */
export function explainFailed(error: Error): Error {
  return error instanceof TenantChanged ? new StorageUnavailable(otherTables) : error
}

/** For statements outside of transactions: they write only while the tables are those of this version. */
export const ifMigrated = `(select max(number) from sandbox_versions) = ${newestVersion}`

const otherTables =
  'Another version of the sandbox has changed the tables of the database: upgrade this process to that version, and restart it.'

/** The number that no transaction had when the statement began. What a statement sees and this server numbered is below it. */
const unused = 'pg_snapshot_xmax(pg_current_snapshot())'

/** Versions are numbers of transactions: those of a dump may be ahead of the server that it was restored on. */
const renumber = `
  update tenants set version = pg_current_xact_id()::text::bigint where version >= ${unused}::text::bigint;
  delete from gone where version >= ${unused}::text::bigint;
  update requests set version = null where version >= ${unused};
  delete from stream_events where version >= ${unused}`

/**
 * Makes the tables, or brings them up to date, in one transaction. Of processes that start together one does it, and the
 * others wait for it. Processes of an earlier version that run meanwhile cannot commit anything from then on.
 */
export async function migrate(
  { connect, where }: Database,
  changes: readonly SchemaChange[] = schemaChanges,
): Promise<void> {
  const connection = await connect({ isPatient: true })
  try {
    await connection.command('begin')
    // Others may migrate for longer than a statement usually waits.
    await connection.command('set local lock_timeout = 0')
    await connection.command(`select pg_advisory_xact_lock(${lock})`)
    await runMigrations(connection, where, changes)
    await connection.command(renumber)
    await connection.command('commit')
  } finally {
    // What was begun and not committed is rolled back with the connection.
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
      `The database ${database} of ${where} has the encoding ${encoding}, which cannot store every character. Name one with the encoding UTF8: create database NAME encoding 'UTF8' template template0. This one was not changed.`,
    )
  if (found.unreleased > 0) throw unreleased(where)
  if (ours === 0 && tables > 0)
    throw new Error(`${where} contains tables of another program. Name another database; this one was not changed.`)
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
  // Waits for the transactions that have read the version, and makes all others read the new one.
  await connection.command('lock table sandbox_versions in access exclusive mode')
  for (const [index, change] of changes.entries()) {
    const number = index + 2
    if (number <= version) continue
    await connection.command(change(postgresDialect))
    await connection.send(addVersion, { number })
  }
}
