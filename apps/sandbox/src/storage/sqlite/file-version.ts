import { DatabaseSync } from 'node:sqlite'
import { checkVersion, newestVersion, schema, schemaChanges, sqliteDialect, unreleased } from '../sql/schema.ts'
import { explainFileError } from './database-file.ts'

/** Identifies a file as ours: 'LEAD'. Pre-release builds used 'lead'. */
const [applicationId, unreleasedId] = [0x4c454144, 0x6c656164]

/**
 * Returns the version of a file, its `user_version`. Throws if the file is not ours or has an unsupported version;
 * never changes it.
 */
export function readVersion(database: DatabaseSync, file: string): number {
  const version = numberOf(database, 'user_version')
  const id = numberOf(database, 'application_id')
  const isOurs = id === applicationId
  if (id === unreleasedId) throw unreleased(file)
  const isNew = version === 0 && database.prepare('select 1 from sqlite_schema').get() === undefined
  if (!isOurs && !isNew)
    throw new Error(`${file} is a SQLite database of another program: use another file; this one was not changed.`)
  if (isOurs && version < 1) throw wrongVersion(file, version, 'no version has this number')
  checkVersion(version, file)
  return version
}

/** Creates the tables of a new file, or migrates those of an older version, atomically. */
export function migrate(database: DatabaseSync, file: string, version: number): void {
  const missed =
    version === 0 ? [schema(sqliteDialect)] : schemaChanges.slice(version - 1).map(change => change(sqliteDialect))
  if (missed.length > 0) database.exec('begin immediate')
  try {
    for (const sql of missed) database.exec(sql)
  } catch (error) {
    // If the version is too low, migrations fail on existing tables.
    throw explainFileError(error, file) === error ? wrongVersion(file, version, (error as Error).message) : error
  }
  const missing = missingColumns(database)
  if (missing.length > 0) throw wrongVersion(file, version, `it has no ${missing.join(', ')}`)
  if (missed.length > 0)
    database.exec(`pragma application_id = ${applicationId}; pragma user_version = ${newestVersion}; commit`)
}

function wrongVersion(file: string, version: number, why: string): Error {
  return new Error(
    `${file} does not have the tables that its user_version ${version} requires (${why}). Restore a backup, or use another file; this one was not changed.`,
  )
}

/** Returns the columns of the schema that a database lacks, as `table.column`. */
function missingColumns(database: DatabaseSync): string[] {
  const wanted = new DatabaseSync(':memory:')
  try {
    wanted.exec(schema(sqliteDialect))
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
