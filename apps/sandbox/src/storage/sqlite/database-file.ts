import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { StorageUnavailable } from '@lead-distribution/simulator'
import type { SqliteConnection } from './connection.ts'

/**
 * Creates a database file, and the folders above it, with access for this user only, because leads are personal data.
 * Leaves existing ones unchanged. Returns the full path, which SQLite cannot mistake for one of its special names.
 */
export function makeFile(file: string): string {
  const path = resolve(file)
  makeFolder(dirname(path))
  const found = statSync(path, { throwIfNoEntry: false })
  if (found && !found.isFile()) throw new StorageUnavailable(`${file} ${advice[14]}.`)
  if (!found) closeSync(openSync(path, 'a', 0o600))
  return path
}

/** Creates folders one by one, because `mkdirSync` with `recursive` never returns below `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(folder)) throw error
  }
}

/** Returns the path of a database file's write-ahead log. */
const logOf = (path: string) => `${path}-wal`

/** Removes other users' permissions from a database's files; the group keeps those that it was granted. */
export function closeToOthers(path: string): void {
  for (const one of [path, logOf(path), `${path}-shm`]) {
    const mode = statSync(one, { throwIfNoEntry: false })?.mode ?? 0
    if ((mode & 0o007) !== 0) chmodSync(one, mode & 0o770)
  }
}

/** How long a problem is reported after it occurred, milliseconds: on a full disk, a smaller write may still fit. */
const recentMs = 2_000

/** A connection that remembers failures. */
export interface GuardedConnection extends SqliteConnection {
  /** The latest failure: for a moment, or permanently if the file is damaged. */
  problem(): { readonly problem: string } | undefined
}

/**
 * Wraps a connection so that errors name the file and what to do. It commits only while the file and its log are in
 * place, because writes to a deleted file are lost with the process; that takes two lookups per commit, 0.01 ms. After
 * the first damaged page it begins no more transactions, because other pages may be damaged, and writes may be lost.
 */
export function guardConnection(connection: SqliteConnection, path: string): GuardedConnection {
  const found = new Map<string, string>()
  let wrote = false

  /** The first commit creates the log: each file counts from when it was first seen. */
  function checkInPlace(): void {
    for (const one of [path, logOf(path)]) {
      const stat = statSync(one, { throwIfNoEntry: false })
      const now = stat && `${stat.dev}/${stat.ino}`
      const before = found.get(one) ?? now
      if (before !== undefined) found.set(one, before)
      if (now !== before) throw new StorageUnavailable(`${one} ${moved}.`)
    }
  }
  checkInPlace()

  let last: { readonly problem: string; readonly at: number } | undefined
  let damage: StorageUnavailable | undefined
  const explained = <Result>(run: () => Result): Result => {
    try {
      return run()
    } catch (error) {
      const explanation = explainFileError(error, path)
      if (isDamage(error)) damage ??= new StorageUnavailable(`${path} ${advice[11]}.`, { cause: error })
      if (explanation instanceof StorageUnavailable) last = { problem: explanation.message, at: performance.now() }
      throw explanation
    }
  }
  return {
    ...connection,
    all: (statement, params) => explained(() => connection.all(statement, params)),
    first: (statement, params) => explained(() => connection.first(statement, params)),
    run(statement, params) {
      wrote = true
      return explained(() => connection.run(statement, params))
    },
    command(sql) {
      if (damage && sql.startsWith('begin')) throw damage
      explained(() => {
        if (sql === 'commit' && wrote) checkInPlace()
        wrote = false
        connection.command(sql)
      })
    },
    problem() {
      if (damage) return { problem: damage.message }
      return last && performance.now() - last.at < recentMs ? { problem: last.problem } : undefined
    },
  }
}

const moved =
  'was deleted or replaced while the sandbox was running, so further changes would be lost: put it back, or restart the sandbox'

/** Returns the primary result code of a SQLite error: its lowest byte. */
const kindOf = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) & 0xff

/** Returns true if an error means that the file is damaged, either a page or the header. */
const isDamage = (error: unknown) => kindOf(error) === 11 || kindOf(error) === 26

/** SQLite result codes that a user can act on. */
export const advice: Readonly<Record<number, string>> = {
  5: 'is in use by another process: stop the sandbox that uses it, or use another file',
  6: 'is in use by another process: stop the sandbox that uses it, or use another file',
  8: 'cannot be written: give this user write permission for the file and its folder, or use another file',
  10: "cannot be read or written: check its disk, the free space and this user's quota",
  11: 'is damaged: stop the sandbox that uses it and restore a backup, or delete the file to start fresh',
  13: 'does not fit on the disk: free some space, or use a file elsewhere',
  14: 'cannot be opened: check that it is a file in a folder that this user can write to',
  26: 'is not a SQLite database: use another file; this one was not changed',
}

/** Converts a database error to one that names the file and what to do; returns any other error unchanged. */
export function explainFileError(error: unknown, file: string): unknown {
  const known = advice[kindOf(error)]
  return known ? new StorageUnavailable(`${file} ${known}.`, { cause: error }) : error
}
