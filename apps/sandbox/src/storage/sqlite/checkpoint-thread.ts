// The thread of a checkpointer, with its own connection. Each message is a checkpoint mode, or `end`.
import { fdatasyncSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { CheckpointThreadData, CheckpointWay } from './checkpointer.ts'

const { url, descriptor, synchronous } = workerData as CheckpointThreadData
// A file that was deleted meanwhile is not created again.
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

/**
 * Returns the number of pages in the log; undefined if the disk failed, in which case the log keeps everything for the
 * next attempt.
 */
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
 * Checkpoints the log, then what was added meanwhile. SQLite itself only syncs to the disk after a complete checkpoint;
 * doing it here leaves little to wait for in the exclusive pass.
 */
function moveTwice(): number {
  for (let left = 2; left > 0; left--) {
    passive.get()
    fdatasyncSync(descriptor)
  }
  return Number(passive.get()?.log)
}
