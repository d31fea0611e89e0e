import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SandboxStorage } from '@lead-distribution/simulator'
import { leadRecord, tenantRecord } from '@lead-distribution/simulator/records.fixture'
import { describe, expect, it } from 'vitest'
import { closing, temporaryFile } from '../contract/storage.fixture.ts'
import { createSqliteStorage, openFile, openSqliteStorage } from './sqlite-storage.ts'

const rightsOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

const addLead = (storage: SandboxStorage, id: string) =>
  storage.of('t1').transact(tables => tables.addLead(leadRecord(id)))
const findLead = (storage: SandboxStorage, id: string) => storage.of('t1').transact(tables => tables.findLead(id))

async function opened(file: string): Promise<SandboxStorage> {
  const storage = closing(await openSqliteStorage(file))
  await storage.addTenant(tenantRecord('t1'))
  return storage
}

describe('the file permissions', () => {
  it('are limited to this user, including new folders and the log', async () => {
    const folder = dirname(temporaryFile())
    chmodSync(folder, 0o755)
    const file = join(folder, 'a', 'b', 'sandbox.db')
    await opened(file)
    const paths = [folder, join(folder, 'a'), dirname(file), file, `${file}-wal`]
    expect(paths.map(rightsOf)).toEqual(['755', '700', '700', '600', '600'])
  })

  it('are removed for others on an existing file, but not for its group', async () => {
    const file = temporaryFile()
    await (await opened(file)).close()
    chmodSync(file, 0o664)
    await opened(file)
    expect([file, `${file}-wal`].map(rightsOf)).toEqual(['660', '660'])
  })
})

describe('a file that is removed while in use', () => {
  const gone = 'was deleted or replaced while the sandbox was running'

  it.each([
    ['the file', ''],
    ['its log', '-wal'],
  ])('rejects writes once %s is deleted, still serves reads, and says so', async (_title, suffix) => {
    const file = temporaryFile()
    const storage = await opened(file)
    await addLead(storage, 'l1')
    expect(await storage.health()).toBe('ok')
    rmSync(`${file}${suffix}`)
    await expect(addLead(storage, 'l2')).rejects.toThrow(`${file}${suffix} ${gone}`)
    expect(await storage.health()).toEqual({ problem: expect.stringContaining(gone) })
    expect([await findLead(storage, 'l1'), await findLead(storage, 'l2')]).toEqual([leadRecord('l1'), undefined])
  })

  it('rejects writes once it is replaced by another file, and accepts them again once it is back', async () => {
    const file = temporaryFile()
    const storage = await opened(file)
    renameSync(file, `${file}.moved`)
    writeFileSync(file, 'another')
    await expect(addLead(storage, 'l1')).rejects.toThrow(gone)
    renameSync(`${file}.moved`, file)
    await addLead(storage, 'l1')
    await expect.poll(storage.health).toBe('ok')
    await storage.close()
    expect(await findLead(closing(await openSqliteStorage(file)), 'l1')).toEqual(leadRecord('l1'))
  })
})

describe('a file that cannot grow', () => {
  it('rejects what does not fit as a whole, and accepts it once there is room', async () => {
    const file = temporaryFile()
    const database = openFile(file)
    const storage = closing(createSqliteStorage(database, file))
    await storage.addTenant(tenantRecord('t1'))
    const { page_count } = database.prepare('pragma page_count').get() as { page_count: number }
    database.exec(`pragma max_page_count = ${page_count + 4}`)
    const large = (id: string) =>
      leadRecord(id, { submission: { ...leadRecord(id).submission, note: 'x'.repeat(3_000) } as never })
    const ids = Array.from({ length: 9 }, (_, n) => `l${n}`)
    const add = (id: string) =>
      storage.of('t1').transact(async tables => {
        await tables.claimCustomer('p1', `${id}@example.com`, id)
        await tables.addLead(large(id))
      })
    const results = await Promise.allSettled(ids.map(add))
    expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
    for (const [n, result] of results.entries()) {
      if (result.status === 'rejected')
        expect(String(result.reason)).toContain(`${file} does not fit on the disk: free some space`)
      const lead = await findLead(storage, ids[n] ?? '')
      const customer = await storage.of('t1').transact(tables => tables.findCustomer('p1', `${ids[n]}@example.com`))
      expect([lead !== undefined, customer !== undefined]).toEqual(Array(2).fill(result.status === 'fulfilled'))
    }
    database.exec('pragma max_page_count = 100000')
    for (const [n, { status }] of results.entries()) if (status === 'rejected') await add(ids[n] ?? '')
    await expect.poll(storage.health).toBe('ok')
  })
})

describe('an unusable file', () => {
  it('is named with what to do if it is damaged, on startup or when the damaged part is read', async () => {
    const file = temporaryFile()
    const storage = await opened(file)
    for (let n = 0; n < 200; n++) await addLead(storage, `l${n}`)
    await storage.close()
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0xff, bytes.length / 2))
    const use = async () => {
      const damaged = closing(await openSqliteStorage(file))
      for (let n = 0; n < 200; n++) await findLead(damaged, `l${n}`)
    }
    await expect(use()).rejects.toThrow(`${file} is damaged: stop the sandbox that uses it and restore a backup`)
  })

  it.each(['/proc/x/y.db', '/proc/y.db', '/dev/null/x.db'])('is rejected immediately at %s', async file => {
    await expect(openSqliteStorage(file)).rejects.toThrow(new RegExp(`^${file} cannot be opened`))
  })

  it('is rejected if it is not a file', async () => {
    const folder = temporaryFile()
    mkdirSync(folder)
    for (const file of [folder, '/dev/null'])
      await expect(openSqliteStorage(file)).rejects.toThrow('check that it is a file')
    expect(existsSync('/dev/null-wal')).toBe(false)
  })
})

describe('deleted data', () => {
  /** Counts the e-mail addresses with a mark in the files. */
  const countIn = (file: string, mark: string) =>
    [file, `${file}-wal`]
      .filter(existsSync)
      .map(path => readFileSync(path, 'latin1').split(mark).length - 1)
      .reduce((all, count) => all + count)

  async function filled(file: string) {
    const storage = await opened(file)
    await storage.addTenant(tenantRecord('t2'))
    for (let n = 0; n < 100; n++)
      await Promise.all(
        ['t1', 't2'].map(tenant =>
          storage.of(tenant).transact(async tables => {
            const email = `${tenant}-mark-${(n * 7919) % 1000}@example.com`
            await tables.claimCustomer('p1', email, `l${n}`)
            await tables.addLead(leadRecord(`l${n}`, { email }))
          }),
        ),
      )
    return storage
  }

  it('is removed from the log a moment later, and from the file on close', async () => {
    const file = temporaryFile()
    const storage = await filled(file)
    expect(countIn(file, 't1-mark')).toBeGreaterThan(200)
    await storage.saveSnapshot('t1', { name: 'a', saved_at: 1 })
    await storage.deleteTenant('t1')
    await expect.poll(() => statSync(`${file}-wal`).size).toBe(0)
    // SQLite may leave copies of rows that it moved.
    expect(countIn(file, 't1-mark')).toBeLessThan(10)
    await storage.close()
    expect(countIn(file, 't1-mark')).toBe(0)
    expect(countIn(file, 't2-mark')).toBeGreaterThanOrEqual(200)
  })

  it.each<[string, (storage: SandboxStorage) => Promise<unknown>]>([
    ['a reset', storage => storage.clearTenant(tenantRecord('t1'))],
    [
      'old leads',
      storage =>
        storage
          .of('t1')
          .transact(tables => tables.removeLeads('l99', 1_000))
          .then(() => storage.erase?.()),
    ],
    ['restoring a snapshot', storage => storage.restoreSnapshot('t1', 'empty', async record => ({ record }))],
  ])('is also removed from the file by %s', async (_title, remove) => {
    const file = temporaryFile()
    const empty = await opened(file)
    await empty.saveSnapshot('t1', { name: 'empty', saved_at: 1 })
    await empty.close()
    const storage = await filled(file)
    await remove(storage)
    await storage.close()
    expect(countIn(file, 't1-mark')).toBe(0)
  })
})
