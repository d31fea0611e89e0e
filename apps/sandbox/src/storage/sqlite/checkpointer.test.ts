import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFile } from '../contract/storage.fixture.ts'
import { statement } from '../sql/statement.ts'
import { createCheckpointer } from './checkpointer.ts'
import { createSqliteConnection } from './connection.ts'
import { createGroupCommit } from './group-commit.ts'

const add = statement<{ text: string }>('insert into texts values (:text)')
const count = statement<object, { count: number }>('select count(*) as count from texts')
const pageSize = 4096

/** Reads the first bytes of a log. The log carries no locks of the process, so it may be opened and closed. */
function headerOf(log: string): Buffer {
  const header = Buffer.alloc(32)
  const descriptor = openSync(log, 'r')
  readSync(descriptor, header)
  closeSync(descriptor)
  return header
}

/** Opens a file whose log only the thread checkpoints, and a text that fills a page per transaction. */
function opened({ afterMs = 0, maxPages = 50, threadFrom = 0, threadUrl = '' } = {}) {
  const file = temporaryFile()
  const url = pathToFileURL(file)
  url.search = 'vfs=unix-excl'
  const database = new DatabaseSync(url)
  database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = 0')
  database.exec('create table texts (text text)')
  let lost = 0
  const onLost = () => {
    lost += 1
  }
  const options = {
    url: threadUrl || url.href,
    path: file,
    synchronous: 'normal',
    afterMs,
    maxPages,
    threadFrom,
    onLost,
  }
  const checkpointer = createCheckpointer(options)
  const transactor = createGroupCommit(createSqliteConnection(database), { checkpointer })
  onTestFinished(() => transactor.close())
  const addOne = () => transactor.transact(db => db.run(add, { text: 'x'.repeat(pageSize) }))
  const counted = async () => (await transactor.transact(db => db.first(count, {})))?.count
  const fileBytes = () => statSync(file).size
  /** The log's header counts its restarts. */
  const timesAnew = () => headerOf(`${file}-wal`).readUInt32BE(12)
  return { ...transactor, checkpointer, addOne, counted, timesAnew, fileBytes, lost: () => lost, file }
}

it('checkpoints the log while transactions continue', async () => {
  const { addOne, counted, fileBytes } = opened()
  let added = 0
  for (; fileBytes() < 300 * pageSize && added < 100_000; added++) await addOne()
  expect(fileBytes()).toBeGreaterThanOrEqual(300 * pageSize)
  expect(await counted()).toBe(added)
})

it('makes a transaction wait once the log is long, and then restarts the log', async () => {
  const { checkpointer, transact, addOne, timesAnew } = opened({ maxPages: 50 })
  await transact(db => db.run(add, { text: 'x'.repeat(100 * pageSize) }))
  const before = timesAnew()
  let waiting: Promise<unknown> | undefined
  const mustWait = () => {
    waiting ??= checkpointer.turn()
    return waiting !== undefined
  }
  await expect.poll(mustWait).toBe(true)
  await waiting
  await addOne()
  expect(timesAnew()).toBeGreaterThan(before)
})

it('makes no transaction wait while the log is short', async () => {
  const { checkpointer, addOne, fileBytes } = opened({ maxPages: 10_000 })
  for (let n = 0; n < 60; n++) await addOne()
  await expect.poll(() => [checkpointer.turn(), fileBytes() >= 60 * pageSize]).toEqual([undefined, true])
  for (let n = 0; n < 20; n++) expect(checkpointer.turn()).toBeUndefined()
})

// Without a busy timeout, a transaction that hits the thread's lock fails.
it('starts no transaction during an exclusive checkpoint', async () => {
  const { checkpointer, addOne, counted } = opened({ afterMs: 1, maxPages: 3 })
  for (let n = 0; n < 100; n++) {
    await addOne()
    await checkpointer.emptyNext()
    await addOne()
  }
  expect(await counted()).toBe(200)
})

it('has moved everything to the file when it is closed', async () => {
  const { addOne, close, file } = opened()
  for (let n = 0; n < 500; n++) await addOne()
  await Promise.all([addOne(), close()])
  const database = new DatabaseSync(file)
  expect(database.prepare('select count(*) as count from texts').get()).toEqual({ count: 501 })
  database.close()
})

it('has no thread while the log is short', async () => {
  const threadFrom = 1_000 * pageSize
  const { addOne, lost, file } = opened({ threadFrom, threadUrl: pathToFileURL('/nowhere/at/all.db').href })
  // Slow, so that a thread that starts too early would show.
  for (let added = 0; lost() === 0 && added < 100_000; added++) {
    await addOne()
    await setTimeout(1)
  }
  expect(lost()).toBe(1)
  expect(statSync(`${file}-wal`).size).toBeGreaterThanOrEqual(threadFrom)
})

it('reports once that there is no thread, while transactions continue', async () => {
  const { addOne, counted, lost } = opened({ threadUrl: pathToFileURL('/nowhere/at/all.db').href })
  await addOne()
  await expect.poll(lost).toBe(1)
  for (let n = 0; n < 100; n++) await addOne()
  expect(await counted()).toBe(101)
  expect(lost()).toBe(1)
})

/** Runs a script with the storage of a new file in a process that nothing else keeps alive. */
function runAlone(script: string) {
  const storage = fileURLToPath(new URL('./sqlite-storage.ts', import.meta.url))
  const open = `const { openSqliteStorage } = await import(process.argv[1])
    const open = () => openSqliteStorage(process.argv[2], { checkpoint: { afterMs: 0, threadFrom: 0 } })`
  const args = ['--input-type=module', '--eval', `${open}; ${script}`, storage, temporaryFile()]
  const { status, signal, stderr } = spawnSync(process.execPath, args, { timeout: 60_000, encoding: 'utf8' })
  return { status, signal, stderr }
}

const ended = { status: 0, signal: null, stderr: '' }

it('does not keep an idle process alive', () => {
  const script = 'const storage = await open(); for (let n = 0; n < 200; n++) await storage.listTenants()'
  expect(runAlone(script)).toEqual(ended)
})

// Each delay hits another moment of a checkpoint.
it('closes during a checkpoint', () => {
  const script = `for (let n = 0; n < 20; n++) {
    const storage = await open()
    const add = m => storage.addTenant({ tenant: n + ' ' + m, text: 'x'.repeat(9_000) })
    for (let m = 0; m < 20; m++) await add(m)
    await new Promise(resolve => setTimeout(resolve, 5 * n))
    await Promise.all(Array.from({ length: 300 }, (_, m) => add('last ' + m)))
    await storage.close()
  }`
  expect(runAlone(script)).toEqual(ended)
})

it('checkpoints what background steps wrote while they continue, even if nothing else triggers it', async () => {
  const { background, fileBytes } = opened({ afterMs: 1_000_000, maxPages: 1_000_000 })
  let added = 0
  for (; fileBytes() < 100 * pageSize && added < 100_000; added++)
    await background?.(db => db.run(add, { text: 'x'.repeat(pageSize) }))
  expect(fileBytes()).toBeGreaterThanOrEqual(100 * pageSize)
})
