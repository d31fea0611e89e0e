import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { type SandboxStorage, StorageUnavailable } from '@lead-distribution/simulator'
import { releaseLeases } from '../sql/named-queries.ts'
import { createSqlStorage } from '../sql/sql-storage.ts'
import type { Transactor } from '../sql/statement.ts'
import { type Checkpointer, type CheckpointerOptions, createCheckpointer } from './checkpointer.ts'
import { createSqliteConnection } from './connection.ts'
import { advice, closeToOthers, explainFileError, guardConnection, makeFile } from './database-file.ts'
import { createErasure, emptyHere } from './erasure.ts'
import { migrate, readVersion } from './file-version.ts'
import { createGroupCommit } from './group-commit.ts'

/** Options for opening a file. */
export interface SqliteOptions {
  /** Called with what failed while nobody waited for it. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** The time to wait for another process to release the file, milliseconds. Default 2000. */
  readonly busyTimeoutMs?: number | undefined
  /** Decides when a thread moves the log into the file. */
  readonly checkpoint?: Partial<Pick<CheckpointerOptions, 'afterMs' | 'maxPages' | 'threadFrom'>> | undefined
}

/**
 * The sandbox's storage in a SQLite file, which is made where there is none. Rejects with a sentence that says what to
 * do where the file cannot serve. One process has a file: leases that a killed one left behind are released.
 */
export async function openSqliteStorage(file: string, options?: SqliteOptions): Promise<SandboxStorage> {
  const database = openFile(file, options)
  try {
    return createSqliteStorage(database, resolve(file), options)
  } catch (error) {
    database.close()
    throw error
  }
}

/** The sandbox's storage in a database of {@link openFile}; `path` is the full path of its file. */
export function createSqliteStorage(database: DatabaseSync, path: string, options?: SqliteOptions): SandboxStorage {
  const connection = guardConnection(createSqliteConnection(database), path)
  connection.run(releaseLeases, {})
  const checkpointer = oneProcess ? startCheckpointer(database, path, options) : undefined
  const erasure = createErasure(database, path, () => emptyLog(database, transactor, checkpointer))
  const close = () => {
    erasure.finish()
    connection.close()
  }
  const transactor = createGroupCommit({ ...connection, close }, { checkpointer })
  const storage = createSqlStorage(transactor, path, erasure.soon, undefined, options?.onError)
  const health = async () => connection.problem() ?? storage.health()
  return { ...storage, health }
}

function startCheckpointer(database: DatabaseSync, path: string, options?: SqliteOptions): Checkpointer {
  return createCheckpointer({
    url: urlOf(path).href,
    path,
    synchronous,
    maxPages,
    ...options?.checkpoint,
    onLost: () => database.exec(`pragma wal_autocheckpoint = ${checkpointPages}`),
  })
}

/** Makes the thread empty the log before the next transaction, or empties it here. False if it cannot. */
async function emptyLog(database: DatabaseSync, { transact }: Transactor, checkpointer?: Checkpointer) {
  const emptied = await checkpointer?.emptyNext()
  if (!emptied) return !database.isTransaction && emptyHere(database)
  await transact(async () => undefined)
  return emptied()
}

/**
 * A commit is safe when the process is killed at any time. When the machine loses power, the last commits may be
 * lost, the file stays whole: a sandbox need not wait for the disk, which would cost two thirds of its rate.
 */
const synchronous = 'normal'

/**
 * One process has a file: two would number leads alike and take each other's callbacks. SQLite has a way to open a file
 * that refuses other processes and still lets threads of this one in, except on Windows: there one connection has it.
 */
const oneProcess = process.platform !== 'win32'

/** A file as its connections open it. */
function urlOf(path: string): URL {
  const url = pathToFileURL(path)
  if (oneProcess) url.search = 'vfs=unix-excl'
  return url
}

/** The databases of this process, by device and inode of their files. */
const databases = new Map<string, DatabaseSync>()

/** Remembers the database of a file; throws where another one of this process has it. */
function markOpen(database: DatabaseSync, file: string, path: string): void {
  const { dev, ino } = statSync(path, { bigint: true })
  const key = `${dev}/${ino}`
  if (databases.get(key)?.isOpen) throw new StorageUnavailable(`${file} ${advice[5]}.`)
  databases.set(key, database)
}

/** Bytes of a page. A usual lead takes a bit more than half of 4 KiB: in pages of that size the rest would stay empty. */
const pageSize = 8192
/** Pages in the log before they go to their places, 32 MiB, where no thread moves them. */
const checkpointPages = 4_000
/** Pages in the log from which on transactions wait for the thread that moves them, 128 MiB. */
const maxPages = 16_000
/** The size to which a long log is cut, bytes: it grows a while before transactions wait. */
const logBytes = 1.5 * maxPages * pageSize
/** Memory for pages, KiB. */
const cacheKiB = 16_384

/** Opens a file, or makes it with the folders above it, and brings its tables up to date. */
export function openFile(file: string, { busyTimeoutMs = 2000 }: SqliteOptions = {}): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    const path = makeFile(file)
    database = new DatabaseSync(urlOf(path))
    markOpen(database, file, path)
    database.exec(`pragma busy_timeout = ${busyTimeoutMs}`)
    // First: the others would change a file that is not ours.
    const version = readVersion(database, file)
    database.exec(`
      pragma page_size = ${pageSize};
      pragma locking_mode = ${oneProcess ? 'normal' : 'exclusive'};
      pragma journal_mode = wal;
      pragma synchronous = ${synchronous};
      pragma secure_delete = on;
      pragma cache_size = -${cacheKiB};
      pragma wal_autocheckpoint = ${oneProcess ? 0 : checkpointPages};
      pragma journal_size_limit = ${logBytes};
    `)
    migrate(database, file, version)
    closeToOthers(path)
    return database
  } catch (error) {
    database?.close()
    throw explainOpenError(error, file)
  }
}

/** An error that names the file and what to do; errors that do so already do not change. */
function explainOpenError(error: unknown, file: string): unknown {
  const explained = explainFileError(error, file)
  const { code, message } = error as NodeJS.ErrnoException
  if (explained !== error || code === undefined) return explained
  return new Error(`${file} cannot be opened (${message}): name a file in a folder that this user can write to.`, {
    cause: error,
  })
}
