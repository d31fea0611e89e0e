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
  it("removes a deleted tenant's leads later if that fails, and reports each failure", async () => {
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
        'Error: Leads of a deleted tenant or snapshot are still stored: The disk failed. Retrying in 1 s.',
        'Error: Leads of a deleted tenant or snapshot are still stored: The disk failed. Retrying in 2 s.',
      ])
    expect(count()).toBe(1)
    database.exec('drop trigger failing')
    await expect.poll(count).toBe(0)
    expect(errors).toHaveLength(2)
  })

  it('has no leases when it is opened, because the process that had them is gone', async () => {
    const file = temporaryFile()
    const first = await filled(file)
    expect(await first.of('t1').transact(tables => tables.leaseDueCallbacks(lease))).toHaveLength(1)
    await first.close()
    const again = closing(await openSqliteStorage(file))
    expect(await again.of('t1').transact(tables => tables.leaseDueCallbacks(lease))).toHaveLength(1)
  })

  it('is a single file after it is closed, even after many times', async () => {
    const file = temporaryFile()
    await (await filled(file)).close()
    const before = readFileSync(file)
    for (let n = 0; n < 3; n++) await (await openSqliteStorage(file)).close()
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(existsSync(`${file}-wal`)).toBe(false)
  })

  it('finishes pending transactions before it closes, and rejects later ones', async () => {
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

describe('an unusable file', () => {
  it('is left unchanged and named with what to do if it is not a database', async () => {
    const file = temporaryFile('notes.txt')
    writeFileSync(file, 'Not a database, but notes. '.repeat(50))
    await expect(openSqliteStorage(file)).rejects.toThrow(
      `${file} is not a SQLite database: use another file; this one was not changed.`,
    )
    expect(readFileSync(file, 'utf8')).toContain('notes')
  })

  it('is rejected while another sandbox is using it', async () => {
    const file = temporaryFile()
    closing(await openSqliteStorage(file))
    await expect(openSqliteStorage(file, { busyTimeoutMs: 20 })).rejects.toThrow('is in use by another process')
  })

  it('is rejected while another process is using it', async () => {
    const file = temporaryFile()
    closing(await openSqliteStorage(file))
    const storage = fileURLToPath(new URL('./sqlite-storage.ts', import.meta.url))
    const script = `const { openSqliteStorage } = await import(process.argv[1])
      await openSqliteStorage(process.argv[2], { busyTimeoutMs: 20 }).catch(({ message }) => console.log(message))`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script, storage, file])
    expect(stdout.toString()).toContain(`${file} is in use by another process`)
  })
})
