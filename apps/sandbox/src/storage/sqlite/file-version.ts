import { DatabaseSync } from 'node:sqlite'
import { migrations, migrationsAfter, newestVersion, sqliteDialect } from '../sql/migrations.ts'
import { explainFileError } from './database-file.ts'

/** Marks a file as ours: 'lead'. */
const applicationId = 0x6c656164

/** The version of a file: its `user_version`. Throws if the file is not ours, or of a version that cannot be read; never changes it. */
export function readVersion(database: DatabaseSync, file: string): number {
  const version = numberOf(database, 'user_version')
  const isOurs = numberOf(database, 'application_id') === applicationId
  const isNew = version === 0 && database.prepare('select 1 from sqlite_schema').get() === undefined
  if (!isOurs && !isNew)
    throw new Error(`${file} is a SQLite database of another program: name another file; this one was not changed.`)
  if (isOurs && version < 1) throw wrongVersion(file, version, 'no version has this number')
  migrationsAfter(version, file)
  return version
}

/** Runs the migrations that a file of a version has not had. All of them or none: it has the tables of its version. */
export function migrate(database: DatabaseSync, file: string, version: number): void {
  const missed = migrationsAfter(version, file)
  if (missed.length > 0) database.exec('begin immediate')
  try {
    for (const { migration } of missed) database.exec(migration(sqliteDialect))
  } catch (error) {
    // A version that is too low leads to tables that are there already.
    throw explainFileError(error, file) === error ? wrongVersion(file, version, (error as Error).message) : error
  }
  const missing = missingColumns(database)
  if (missing.length > 0) throw wrongVersion(file, version, `it has no ${missing.join(', ')}`)
  if (missed.length > 0)
    database.exec(`pragma application_id = ${applicationId}; pragma user_version = ${newestVersion}; commit`)
}

function wrongVersion(file: string, version: number, why: string): Error {
  return new Error(
    `${file} does not have the tables that its user_version ${version} requires (${why}). Restore a backup, or name another file; this one was not changed.`,
  )
}

/** The columns that the migrations make and a database does not have, as `table.column`. */
function missingColumns(database: DatabaseSync): string[] {
  const wanted = new DatabaseSync(':memory:')
  try {
    for (const migration of migrations) wanted.exec(migration(sqliteDialect))
    const found = new Set(columnsOf(database))
    return columnsOf(wanted).filter(column => !found.has(column))
  } finally {
    wanted.close()
  }
}

function columnsOf(database: DatabaseSync): string[] {
  return database
    .prepare(
      `select tables.name || '.' || columns.name as name from sqlite_schema as tables, pragma_table_info(tables.name) as columns
       where tables.type = 'table' and tables.name not like 'sqlite_%'`,
    )
    .all()
    .map(({ name }) => String(name))
}

function numberOf(database: DatabaseSync, pragma: string): number {
  return Number(database.prepare(`pragma ${pragma}`).get()?.[pragma])
}
