import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { SandboxStorage } from '@lead-distribution/simulator'
import { callbackRecord, leadRecord, tenantRecord } from '@lead-distribution/simulator/records.fixture'
import { describe, expect, it } from 'vitest'
import { closing, temporaryFile } from '../contract/storage.fixture.ts'
import { createSqliteStorage, openFile, openSqliteStorage } from './sqlite-storage.ts'

async function filled(file: string): Promise<SandboxStorage> {
  const storage = await openSqliteStorage(file)
  await storage.addTenant(tenantRecord('t1'))
  await storage.of('t1').transact(async tables => {
    await tables.addLead(leadRecord('l1'))
    await tables.addCallback(callbackRecord('c1', 'l1'))
  })
  return storage
}

const lease = { due_by: 100, now: 0, until: 1_000_000, limit: 9 }

describe('a SQLite file', () => {
  it('removes the leads of a deleted tenant later if that fails, and says so each time', async () => {
    const file = temporaryFile()
    const database = openFile(file)
    const errors: unknown[] = []
    const storage = closing(createSqliteStorage(database, file, { onError: error => errors.push(error) }))
    await storage.addTenant(tenantRecord('t1'))
    await storage.of('t1').transact(tables => tables.addLead(leadRecord('l1')))
    const count = () => database.prepare('select count(*) as leads from leads').get()?.leads
    database.exec(`create trigger failing before delete on leads begin select raise(abort, 'The disk failed.'); end`)
    await storage.deleteTenant('t1')
    expect(await storage.listTenants()).toEqual([])
    await expect
      .poll(() => errors.map(String))
      .toEqual([
        'Error: Leads of a deleted tenant or snapshot are still stored: The disk failed. Tried again in 1 s.',
        'Error: Leads of a deleted tenant or snapshot are still stored: The disk failed. Tried again in 2 s.',
      ])
    expect(count()).toBe(1)
    database.exec('drop trigger failing')
    await expect.poll(count).toBe(0)
    expect(errors).toHaveLength(2)
  })

  it('has no lease when it is opened: the process that had one is gone', async () => {
    const file = temporaryFile()
    const first = await filled(file)
    expect(await first.of('t1').transact(tables => tables.leaseDueCallbacks(lease))).toHaveLength(1)
    await first.close()
    const again = closing(await openSqliteStorage(file))
    expect(await again.of('t1').transact(tables => tables.leaseDueCallbacks(lease))).toHaveLength(1)
  })

  it('is one file once it is closed, and still one after it was opened often', async () => {
    const file = temporaryFile()
    await (await filled(file)).close()
    const before = readFileSync(file)
    for (let n = 0; n < 3; n++) await (await openSqliteStorage(file)).close()
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(existsSync(`${file}-wal`)).toBe(false)
  })

  it('finishes what was begun before it closes, and refuses what comes later', async () => {
    const file = temporaryFile()
    const storage = await filled(file)
    const adding = storage.of('t1').transact(tables => tables.addLead(leadRecord('l2')))
    const closed = storage.close()
    await expect(storage.listTenants()).rejects.toThrow('The storage is closed: open it again to use it.')
    await Promise.all([adding, closed, storage.close()])
    const lead = await closing(await openSqliteStorage(file))
      .of('t1')
      .transact(tables => tables.findLead('l2'))
    expect(lead?.lead_id).toBe('l2')
  })
})

describe('a file that cannot serve', () => {
  it('is named with what to do when it is no database, and left unchanged', async () => {
    const file = temporaryFile('notes.txt')
    writeFileSync(file, 'Not a database, but notes. '.repeat(50))
    await expect(openSqliteStorage(file)).rejects.toThrow(
      `${file} is not a SQLite database: name another file; this one was not changed.`,
    )
    expect(readFileSync(file, 'utf8')).toContain('notes')
  })

  it('is refused while another sandbox has it', async () => {
    const file = temporaryFile()
    closing(await openSqliteStorage(file))
    await expect(openSqliteStorage(file, { busyTimeoutMs: 20 })).rejects.toThrow('is in use by another process')
  })

  it('is refused while another process has it', async () => {
    const file = temporaryFile()
    closing(await openSqliteStorage(file))
    const storage = fileURLToPath(new URL('./sqlite-storage.ts', import.meta.url))
    const script = `const { openSqliteStorage } = await import(process.argv[1])
      await openSqliteStorage(process.argv[2], { busyTimeoutMs: 20 }).catch(({ message }) => console.log(message))`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script, storage, file])
    expect(stdout.toString()).toContain(`${file} is in use by another process`)
  })
})
