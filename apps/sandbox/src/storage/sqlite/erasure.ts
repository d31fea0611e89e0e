import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** The delay between a deletion and emptying the log, milliseconds: deletions within it share one. */
const emptyAfterMs = 1_000

/** The largest file that is rewritten when it is closed, bytes: two seconds or so. */
const maxRewrittenBytes = 256 * 2 ** 20

/** Empties the log by a connection itself, which waits for the disk. False where others use the file. */
export function emptyHere(database: DatabaseSync): boolean {
  return database.prepare('pragma wal_checkpoint(truncate)').get()?.busy === 0
}

/**
 * Removes what was deleted from the files as well. `secure_delete` overwrites a deleted row where it is; these are the
 * other places that still have it:
 * - the log, which is emptied a second later;
 * - space of a page that is not in use, where SQLite leaves copies of rows that it moves. No command clears that but
 *   rewriting the file, 10 ms for each MiB, so that is done when the file is closed.
 */
export function createErasure(database: DatabaseSync, path: string, emptyLog: () => Promise<boolean>) {
  let erases = false
  let timer: NodeJS.Timeout | undefined

  function emptySoon(): void {
    timer ??= setTimeout(async () => {
      timer = undefined
      if (!(await emptyLog().catch(() => false)) && database.isOpen) emptySoon()
    }, emptyAfterMs).unref()
  }

  /** Erases deleted data from the files soon. */
  function soon(): void {
    erases = true
    emptySoon()
  }

  return {
    soon,
    /** Call before closing the database, which empties the log. */
    finish(): void {
      clearTimeout(timer)
      if (!erases || (statSync(path, { throwIfNoEntry: false })?.size ?? Infinity) > maxRewrittenBytes) return
      try {
        database.exec('vacuum')
      } catch {
        // On a full disk the file stays as it is: everything in it is still valid.
      }
    },
  }
}
