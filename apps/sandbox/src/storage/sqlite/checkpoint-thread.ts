// The thread of a checkpointer, with a connection of its own. Each message is how to move the log, or `end`.
import { fdatasyncSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { CheckpointThreadData, CheckpointWay } from './checkpointer.ts'

const { url, descriptor, synchronous } = workerData as CheckpointThreadData
// A file that was deleted meanwhile is not made anew.
const database = new DatabaseSync(new URL(`${url}&mode=rw`))
database.exec(`pragma synchronous = ${synchronous}`)
const passive = database.prepare('pragma wal_checkpoint(passive)')
const truncate = database.prepare('pragma wal_checkpoint(truncate)')

parentPort?.on('message', (way: CheckpointWay | 'end') => {
  if (way === 'end') {
    database.close()
    parentPort?.close()
    return
  }
  parentPort?.postMessage(pagesAfter(way))
})

/** Returns the pages in the log, or undefined where the disk failed: the log keeps everything for the next time. */
function pagesAfter(way: CheckpointWay): number | undefined {
  try {
    if (way === 'while others write') return moveTwice()
    const result = (way === 'empty' ? truncate : passive).get()
    return result?.busy === 0 ? Number(result.log) : undefined
  } catch {
    return undefined
  }
}

/**
 * Moves the log, and then what came meanwhile. SQLite itself waits for the disk only where it moved the whole log: done
 * here, the pass that has the log to itself is left with little to wait for.
 */
function moveTwice(): number {
  for (let left = 2; left > 0; left--) {
    passive.get()
    fdatasyncSync(descriptor)
  }
  return Number(passive.get()?.log)
}
