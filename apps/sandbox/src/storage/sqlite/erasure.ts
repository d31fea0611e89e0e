import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** The delay between a deletion and emptying the log, milliseconds; deletions within it share one run. */
const emptyAfterMs = 1_000

/** The largest file that is rewritten on close, bytes: this takes about two seconds. */
const maxRewrittenBytes = 256 * 2 ** 20

/** Empties the log with a connection, which syncs to the disk. Returns false if others are using the file. */
export function emptyHere(database: DatabaseSync): boolean {
  return database.prepare('pragma wal_checkpoint(truncate)').get()?.busy === 0
}

/**
 * Erases deleted data from the files. `secure_delete` overwrites deleted rows in place, but two other places still
 * contain them:
 * - the log, which is emptied a second later;
 * - unused space in pages, where SQLite leaves copies of moved rows. Only rewriting the file clears it, which takes 10
 * ms per
 * MiB and is done on close.
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

  /** Schedules erasing deleted data from the files. */
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
        // On a full disk the file stays unchanged, and is still valid.
      }
    },
  }
}
