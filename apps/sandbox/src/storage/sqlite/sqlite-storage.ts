import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { SandboxStorage } from '@lead-distribution/simulator'
import { callbackStatements } from '../sql/callbacks.ts'
import { migrations } from '../sql/migrations/index.ts'
import { sqliteDialect } from '../sql/migrations/migration.ts'
import { createSqlStorage } from '../sql/sql-storage.ts'
import { createSqliteConnection } from './connection.ts'
import { createGroupCommit } from './group-commit.ts'

/** How a file is opened. */
export interface SqliteOptions {
  /** How long to wait for another process to let go of the file, milliseconds. Default 2000. */
  readonly busyTimeoutMs?: number | undefined
}

/**
 * The sandbox's storage in a SQLite file, which is made where there is none. Rejects with a sentence that says what to
 * do where the file cannot serve. One process has a file: leases that a killed one left behind are released.
 */
export async function openSqliteStorage(file: string, options?: SqliteOptions): Promise<SandboxStorage> {
  const connection = createSqliteConnection(openFile(file, options))
  connection.run(callbackStatements.releaseLeases, {})
  return createSqlStorage(createGroupCommit(connection))
}

/** Marks a file as ours: 'lead'. */
const applicationId = 0x6c656164

/**
 * A commit is safe when the process is killed at any time. When the machine loses power, the last commits may be
 * lost, the file stays whole: a sandbox need not wait for the disk, which would cost two thirds of its rate.
 */
const synchronous = 'normal'

/** Bytes of a page. A claim writes few bytes each to pages far apart, and two of these hold a usual lead. */
const pageSize = 2048
/** Pages in the log before they go to their places, 32 MiB: it is then that a commit waits for the disk, 0.1 s or so. */
const checkpointPages = 16_000
/** What is left of the log after one commit made it longer, as saving a snapshot does, bytes: two usual fills. */
const logBytes = 2 * checkpointPages * pageSize
/** Memory for pages, KiB. */
const cacheKiB = 16_384

/** Opens a file, or makes it with the folders above it, and brings its tables up to date. */
function openFile(file: string, { busyTimeoutMs = 2000 }: SqliteOptions = {}): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    mkdirSync(dirname(file), { recursive: true })
    database = new DatabaseSync(file)
    // One process has a file: two would number leads alike and take each other's callbacks.
    database.exec(`
      pragma busy_timeout = ${busyTimeoutMs};
      pragma page_size = ${pageSize};
      pragma locking_mode = exclusive;
      pragma journal_mode = wal;
      pragma synchronous = ${synchronous};
      pragma foreign_keys = on;
      pragma cache_size = -${cacheKiB};
      pragma wal_autocheckpoint = ${checkpointPages};
      pragma journal_size_limit = ${logBytes};
    `)
    migrate(database, file)
    return database
  } catch (error) {
    database?.close()
    throw explainOpenError(error, file)
  }
}

/** Runs the migrations that the file has not had; its `user_version` counts them. */
function migrate(database: DatabaseSync, file: string): void {
  const done = numberOf(database, 'user_version')
  if (done === 0 && database.prepare('select 1 from sqlite_schema').get() !== undefined) throw foreign(file)
  if (done > 0 && numberOf(database, 'application_id') !== applicationId) throw foreign(file)
  if (done > migrations.length)
    throw new Error(`${file} was written by a newer version of the sandbox: use that version, or name another file.`)
  if (done === migrations.length) return
  database.exec('begin immediate')
  for (const migration of migrations.slice(done)) database.exec(migration(sqliteDialect))
  database.exec(`pragma application_id = ${applicationId}; pragma user_version = ${migrations.length}; commit`)
}

function numberOf(database: DatabaseSync, pragma: string): number {
  return Number(database.prepare(`pragma ${pragma}`).get()?.[pragma])
}

function foreign(file: string): Error {
  return new Error(`${file} is a SQLite database of something else: name another file, this one was not changed.`)
}

/** SQLite's result codes that a user can do something about. */
const advice: Record<number, string> = {
  5: 'is in use by another process: stop the sandbox that has it, or name another file',
  6: 'is in use by another process: stop the sandbox that has it, or name another file',
  8: 'cannot be written: give this user the right to write the file and its folder, or name another file',
  11: 'is damaged: remove it to start afresh, or restore a copy',
  13: 'does not fit on the disk: make room, or name a file elsewhere',
  14: 'cannot be opened: check that it is a file, in a folder that this user may write',
  26: 'is not a SQLite database: name another file, this one was not changed',
}

/** An error that names the file and what to do; errors that do so already do not change. */
function explainOpenError(error: unknown, file: string): unknown {
  if (!(error instanceof Error)) return error
  const { code, errcode } = error as Error & { code?: string; errcode?: number }
  // The lowest byte is the kind, the others are more than a user needs.
  const known = errcode === undefined ? undefined : advice[errcode & 0xff]
  if (known) return new Error(`${file} ${known}.`, { cause: error })
  if (code === undefined) return error
  return new Error(`${file} cannot be opened (${error.message}): name a file in a folder that this user may write.`, {
    cause: error,
  })
}
