import { closeSync, openSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { packageFile } from '../../package-files.ts'

/** Moves the log of a SQLite file into the file in a thread, while the process goes on writing. */
export interface Checkpointer {
  /** Called before a transaction begins; one that the thread has to be alone for waits for the promise. */
  turn(): Promise<unknown> | undefined
  /**
   * Called before each of many transactions in a row that nobody waits for: from time to time, they wait until what they
   * wrote is moved. Without that the log would grow faster than the thread moves it, and others wait for the rest.
   */
  pace(): Promise<void>
  /**
   * Moves the log, then empties it before the next transaction, which waits only for what came meanwhile. Resolves to a
   * function that tells if it did; to undefined without a thread.
   */
  emptyNext(): Promise<(() => boolean) | undefined>
  /** Ends the thread, then closes the connection. */
  close(connection: { close(): void }): Promise<void>
}

/** The input of the thread. */
export interface CheckpointThreadData {
  /** The file as both connections open it, with a query. */
  readonly url: string
  /** Of the file, to wait for the disk. */
  readonly descriptor: number
  readonly synchronous: string
}

/** The input of a checkpointer. */
export interface CheckpointerOptions extends Omit<CheckpointThreadData, 'descriptor'> {
  /** The full path of the file. */
  readonly path: string
  /** Pages in the log from which on it begins anew, though that makes transactions wait. */
  readonly maxPages: number
  /** The size of the log from which on there is a thread, bytes. Default 1 MiB. */
  readonly threadFrom?: number
  /** The delay between a transaction and moving the log, milliseconds. */
  readonly afterMs?: number
  /** Called where there is no thread any more: the connection has to move its log by itself. */
  readonly onLost: () => void
}

/** The way to move the log; `alone` and `empty` require that no transaction is open. */
export type CheckpointWay = 'while others write' | 'alone' | 'empty'

/**
 * A thread moves what is in the log without a lock on those who write. The log begins anew once all of it was moved, and
 * that never happens while others write: from `maxPages` on, transactions wait for a last short pass. A thread takes
 * 13 MB, so a short log stays as it is, and only goes to the disk.
 */
export function createCheckpointer({
  path,
  maxPages,
  threadFrom = 2 ** 20,
  afterMs = 500,
  onLost,
  ...options
}: CheckpointerOptions): Checkpointer {
  const descriptor = openSync(path, 'r')
  const log = `${path}-wal`
  let thread: CheckpointThread | undefined
  let timer: NodeJS.Timeout | undefined
  let moving: Promise<void> | undefined
  let isLong = false
  let [lastPaced, busySince] = [0, 0]
  /** Called once the log is empty. */
  let onEmpty: (() => void) | undefined
  let ended = false

  function lose(): void {
    if (!ended) onLost()
    ended = true
  }

  function move(way: CheckpointWay): Promise<void> {
    moving = moveNow(way).finally(() => {
      moving = undefined
    })
    return moving
  }

  async function moveNow(way: CheckpointWay): Promise<void> {
    try {
      thread ??= startThread({ ...options, descriptor }, lose)
      const pages = await thread.move(way)
      isLong = way === 'while others write' && (pages ?? 0) > maxPages
      if (way === 'empty' && pages === 0) onEmpty?.()
    } catch {
      lose()
    }
  }

  return {
    turn() {
      if (ended || moving) return undefined
      if (onEmpty) return move('empty')
      if (isLong) return move('alone')
      timer ??= setTimeout(() => {
        timer = undefined
        // One at a time: the thread's next answer would end both.
        if (ended || moving) return
        if (thread || (statSync(log, { throwIfNoEntry: false })?.size ?? 0) >= threadFrom)
          void move('while others write')
        else void writeToDisk(log)
      }, afterMs).unref()
      return undefined
    },
    async pace() {
      const now = performance.now()
      if (now - lastPaced > paceMs) busySince = now
      lastPaced = now
      if (ended || now - busySince < paceMs) return
      await (moving ?? move('while others write'))
      lastPaced = performance.now()
      busySince = lastPaced
    },
    async emptyNext() {
      if (!ended && !moving) await move('while others write')
      if (ended) return undefined
      let isEmpty = false
      onEmpty = () => {
        isEmpty = true
        onEmpty = undefined
      }
      return () => isEmpty
    },
    async close(connection) {
      ended = true
      clearTimeout(timer)
      await thread?.end()
      connection.close()
      // Last: closing any descriptor of a file gives up all locks that the process has on it.
      closeSync(descriptor)
    },
  }
}

/** For how long transactions in a row go on before what they wrote is moved, milliseconds. */
const paceMs = 100

/** Waits for the disk, beside everything else. Where that fails, the system writes the file to the disk later. */
async function writeToDisk(file: string): Promise<void> {
  try {
    await using handle = await open(file)
    await handle.datasync()
  } catch {}
}

/** The thread as its owner sees it. */
interface CheckpointThread {
  /** Resolves to the pages in the log; to undefined where the thread failed or is gone. */
  move(way: CheckpointWay): Promise<number | undefined>
  end(): Promise<void>
}

function startThread(data: CheckpointThreadData, onGone: () => void): CheckpointThread {
  // The sources of a checkout run as they are; in the package it is an entry of the bundle.
  const file = import.meta.url.endsWith('.ts') ? 'src/storage/sqlite/checkpoint-thread.ts' : 'dist/checkpoint-thread.js'
  const source = packageFile(file)
  // Without what `--import` loads into the process, such as the SDK of OpenTelemetry: that is larger than the thread.
  const bare = { execArgv: [], env: { ...process.env, NODE_OPTIONS: '' } }
  const worker = new Worker(source, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: 16 }, ...bare })
  worker.unref()
  let isEnding = false
  const gone = new Promise<undefined>(resolve => {
    const end = () => {
      onGone()
      resolve(undefined)
    }
    worker.once('error', end).once('exit', end)
  })
  return {
    async move(way) {
      const moved = new Promise<number | undefined>(resolve => worker.once('message', resolve))
      worker.postMessage(way)
      // Transactions may wait for it, and nothing else keep the process alive.
      worker.ref()
      const pages = await Promise.race([moved, gone])
      if (!isEnding) worker.unref()
      return pages
    },
    async end() {
      isEnding = true
      worker.ref()
      worker.postMessage('end')
      await gone
    },
  }
}
