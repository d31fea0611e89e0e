import { closeSync, openSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { packageFile } from '../../package-files.ts'

/** Checkpoints the write-ahead log of a SQLite file in a thread, while the process continues to write. */
export interface Checkpointer {
  /**
   * Called before a transaction begins. If the thread needs exclusive access, the transaction waits for the promise.
   */
  turn(): Promise<unknown> | undefined
  /**
   * Called before each of many consecutive background transactions. From time to time they wait for a checkpoint;
   * otherwise the log would grow faster than the thread can move it, and others would wait for the rest.
   */
  pace(): Promise<void>
  /**
   * Checkpoints the log, then empties it before the next transaction, which only waits for what was added meanwhile.
   * Resolves to a function that returns true on success; to undefined without a thread.
   */
  emptyNext(): Promise<(() => boolean) | undefined>
  /** Ends the thread, then closes the connection. */
  close(connection: { close(): void }): Promise<void>
}

/** The input of the thread. */
export interface CheckpointThreadData {
  /** The file's URI with the query that both connections use. */
  readonly url: string
  /** The file's descriptor, for syncing to the disk. */
  readonly descriptor: number
  readonly synchronous: string
}

/** The options of a checkpointer. */
export interface CheckpointerOptions extends Omit<CheckpointThreadData, 'descriptor'> {
  /** The full path of the file. */
  readonly path: string
  /** The number of pages from which the log is restarted, even though that makes transactions wait. */
  readonly maxPages: number
  /** The log size from which a thread is used, bytes. Default 1 MiB. */
  readonly threadFrom?: number
  /** The delay between a transaction and a checkpoint, milliseconds. */
  readonly afterMs?: number
  /** Called when the thread is gone: the connection must checkpoint its own log. */
  readonly onLost: () => void
}

/** The checkpoint mode; `alone` and `empty` require that no transaction is open. */
export type CheckpointWay = 'while others write' | 'alone' | 'empty'

/**
 * Creates a checkpointer. A thread checkpoints without blocking writers. But the log only restarts after a complete
 * checkpoint, which never happens while others write: from `maxPages` on, transactions wait for a short final pass. A
 * thread takes 13 MB, so a short log is only synced to the disk.
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
  /** Called when the log is empty. */
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
        // One request at a time, because the thread's next reply would settle both.
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
      // Last, because closing any descriptor of a file releases all locks that the process has on it.
      closeSync(descriptor)
    },
  }
}

/** How long consecutive transactions run before a checkpoint, milliseconds. */
const paceMs = 100

/** Syncs to the disk in the background. If that fails, the system writes the file later. */
async function writeToDisk(file: string): Promise<void> {
  try {
    await using handle = await open(file)
    await handle.datasync()
  } catch {}
}

/** The thread, from its owner's side. */
interface CheckpointThread {
  /** Resolves to the number of pages in the log; to undefined if the thread failed or is gone. */
  move(way: CheckpointWay): Promise<number | undefined>
  end(): Promise<void>
}

function startThread(data: CheckpointThreadData, onGone: () => void): CheckpointThread {
  // A checkout runs the source file; in the package, it is an entry of the bundle.
  const file = import.meta.url.endsWith('.ts') ? 'src/storage/sqlite/checkpoint-thread.ts' : 'dist/checkpoint-thread.js'
  const source = packageFile(file)
  // Without modules that `--import` loads into the process, such as the OpenTelemetry SDK, which is larger than the
  // thread.
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
      // Keeps the process alive only while transactions may be waiting for it.
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
