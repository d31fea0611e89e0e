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

/** The options for opening a file. */
export interface SqliteOptions {
  /** Called with errors of background work. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** How long to wait for another process to release the file, milliseconds. Default 2000. */
  readonly busyTimeoutMs?: number | undefined
  /** Configures the thread that checkpoints the log. */
  readonly checkpoint?: Partial<Pick<CheckpointerOptions, 'afterMs' | 'maxPages' | 'threadFrom'>> | undefined
}

/**
 * Opens the sandbox's storage in a SQLite file, creating it if it is missing. If the file cannot be used, rejects with
 * a message that says what to do. Only one process has a file, so leases left by a killed one are released.
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

/** Creates the storage over a database of {@link openFile}; `path` is the full path of its file. */
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

/** Makes the thread empty the log before the next transaction, or empties it here. Returns false if it cannot. */
async function emptyLog(database: DatabaseSync, { transact }: Transactor, checkpointer?: Checkpointer) {
  const emptied = await checkpointer?.emptyNext()
  if (!emptied) return !database.isTransaction && emptyHere(database)
  await transact(async () => undefined)
  return emptied()
}

/**
 * A commit survives a killed process. After a power loss, the last commits may be missing, but the file stays
 * consistent. A sandbox need not sync each commit to the disk, which would cost two thirds of its throughput.
 */
const synchronous = 'normal'

/**
 * Only one process may have a file: two would assign the same ids and lease each other's callbacks. SQLite can open a
 * file so that other processes are refused but this process's threads are not, except on Windows: there only one
 * connection has it.
 */
const oneProcess = process.platform !== 'win32'

/** A file, as its connections open it. */
function urlOf(path: string): URL {
  const url = pathToFileURL(path)
  if (oneProcess) url.search = 'vfs=unix-excl'
  return url
}

/** The open databases of this process, by device and inode of their files. */
const databases = new Map<string, DatabaseSync>()

/** Registers the database of a file; throws if this process already has it open. */
function markOpen(database: DatabaseSync, file: string, path: string): void {
  const { dev, ino } = statSync(path, { bigint: true })
  const key = `${dev}/${ino}`
  if (databases.get(key)?.isOpen) throw new StorageUnavailable(`${file} ${advice[5]}.`)
  databases.set(key, database)
}

/**
 * Page size, bytes. A typical lead takes slightly more than half of 4 KiB, so in pages of that size the rest would stay
 * empty.
 */
const pageSize = 8192
/** The number of log pages before a checkpoint without a thread, 32 MiB. */
const checkpointPages = 4_000
/** The number of log pages from which transactions wait for the thread, 128 MiB. */
const maxPages = 16_000
/** The size to which a long log is truncated, bytes; it grows for a while before transactions wait. */
const logBytes = 1.5 * maxPages * pageSize
/** Memory for the page cache, KiB. */
const cacheKiB = 16_384

/** Opens a file, creating it and its folders if they are missing, and migrates its tables. */
export function openFile(file: string, { busyTimeoutMs = 2000 }: SqliteOptions = {}): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    const path = makeFile(file)
    database = new DatabaseSync(urlOf(path))
    markOpen(database, file, path)
    database.exec(`pragma busy_timeout = ${busyTimeoutMs}`)
    // First, because the other pragmas would change a file that is not ours.
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

/** Converts an error to one that names the file and what to do, unless it already does. */
function explainOpenError(error: unknown, file: string): unknown {
  const explained = explainFileError(error, file)
  const { code, message } = error as NodeJS.ErrnoException
  if (explained !== error || code === undefined) return explained
  return new Error(`${file} cannot be opened (${message}): use a file in a folder that this user can write to.`, {
    cause: error,
  })
}
