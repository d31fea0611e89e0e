import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { StorageUnavailable } from '@lead-distribution/simulator'
import type { SqliteConnection } from './connection.ts'

/**
 * Makes a database's file, and the folders above it, for this user alone: leads are personal data. What is there
 * already stays as it is. Returns the full path, which SQLite cannot take for one of its special names.
 */
export function makeFile(file: string): string {
  const path = resolve(file)
  makeFolder(dirname(path))
  const found = statSync(path, { throwIfNoEntry: false })
  if (found && !found.isFile()) throw new StorageUnavailable(`${file} ${advice[14]}.`)
  if (!found) closeSync(openSync(path, 'a', 0o600))
  return path
}

/** One by one: below `/proc`, the recursive option of `mkdirSync` never ends. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(folder)) throw error
  }
}

/** The log beside a database's file. */
const logOf = (path: string) => `${path}-wal`

/** Takes the rights of all other users from a database's files; a group that was let in keeps its rights. */
export function closeToOthers(path: string): void {
  for (const one of [path, logOf(path), `${path}-shm`]) {
    const mode = statSync(one, { throwIfNoEntry: false })?.mode ?? 0
    if ((mode & 0o007) !== 0) chmodSync(one, mode & 0o770)
  }
}

/** The time that a problem counts after it occurred, milliseconds: on a full disk, a smaller write may still fit. */
const recentMs = 2_000

/** A connection that remembers what failed. */
export interface GuardedConnection extends SqliteConnection {
  /** The latest failure: for a moment, or for good once the file was found to be damaged. */
  problem(): { readonly problem: string } | undefined
}

/**
 * A connection whose errors name the file and what to do. It commits what was written only while the file and its log
 * are where they were: what goes to a file that was deleted is lost with the process. Two look-ups a commit, 0.01 ms.
 * From the first damaged page that it meets on, it begins no transaction: nobody knows what else is damaged, and what is
 * written to such a file may be lost.
 */
export function guardConnection(connection: SqliteConnection, path: string): GuardedConnection {
  const found = new Map<string, string>()
  let wrote = false

  /** The log is made by the first commit: a file counts from when it was first seen. */
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

/** The kind of a SQLite error, without what of it is more than a user needs: its lowest byte. */
const kindOf = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) & 0xff

/** Returns true if an error of an open database says that its file is damaged: a page, or the header. */
const isDamage = (error: unknown) => kindOf(error) === 11 || kindOf(error) === 26

/** SQLite's result codes that a user can do something about. */
export const advice: Readonly<Record<number, string>> = {
  5: 'is in use by another process: stop the sandbox that uses it, or name another file',
  6: 'is in use by another process: stop the sandbox that uses it, or name another file',
  8: 'cannot be written: give this user write permission for the file and its folder, or name another file',
  10: "cannot be read or written: check its disk, the free space and this user's quota",
  11: 'is damaged: stop the sandbox that uses it and restore a backup, or delete the file to start fresh',
  13: 'does not fit on the disk: free some space, or name a file elsewhere',
  14: 'cannot be opened: check that it is a file in a folder that this user can write to',
  26: 'is not a SQLite database: name another file; this one was not changed',
}

/** An error of a database as one that names the file and what to do; any other error does not change. */
export function explainFileError(error: unknown, file: string): unknown {
  const known = advice[kindOf(error)]
  return known ? new StorageUnavailable(`${file} ${known}.`, { cause: error }) : error
}
