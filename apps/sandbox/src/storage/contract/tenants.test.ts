import type { SandboxStorage } from '@lead-distribution/simulator'
import { eventRecord, leadRecord, tenantRecord } from '@lead-distribution/simulator/records.fixture'
import { beforeEach, describe, expect, it } from 'vitest'
import { adapters, contentOf, fill, listRecords, newestIds, restoreSnapshot } from './storage.fixture.ts'

const lease = { due_by: 100, now: 0, until: 1_000, limit: 9 }

describe.each(Object.entries(adapters))('snapshots: %s', (_name, open) => {
  let sandbox: SandboxStorage
  beforeEach(async () => {
    sandbox = await open()
    for (const tenant of ['t1', 't2']) await sandbox.addTenant(tenantRecord(tenant))
    await fill(sandbox, 't1', 'before')
    await fill(sandbox, 't2', 'before')
  })

  const content = (tenant = 't1') => contentOf(sandbox, tenant, ['before', 'later', 'last'])
  const save = (name: string, saved_at = 5, tenant = 't1') => sandbox.saveSnapshot(tenant, { name, saved_at })
  const names = async (tenant = 't1') => (await sandbox.listSnapshots(tenant)).map(({ name }) => name)

  it('restore everything that a tenant had, including changed and removed data, repeatedly', async () => {
    const before = await content()
    await save('a')
    for (let n = 0; n < 2; n++) {
      await fill(sandbox, 't1', 'later')
      await sandbox.of('t1').transact(async tables => {
        await tables.claimEvent(eventRecord('before-l1', 'later'))
        await tables.requeueCallback('before-c3', 7)
        await tables.removeReport('before-r1')
        await tables.trimInbox(0)
        await tables.trimRequests(99)
      })
      await sandbox.replaceTenant({ ...tenantRecord('t1'), seed: 'other' })
      expect(await content()).not.toEqual(before)
      expect(await restoreSnapshot(sandbox, 't1', 'a')).toEqual(tenantRecord('t1'))
      expect(await content()).toEqual(before)
      expect((await listRecords(sandbox))[0]).toEqual(tenantRecord('t1'))
    }
    expect(await newestIds(sandbox, 't1')).toEqual({ lead_id: 'before-l2', callback_id: 'before-c3' })
  })

  it('restore a callback in flight without its lease', async () => {
    const callbacks = () => sandbox.of('t1').transact(tables => tables.leaseDueCallbacks(lease))
    expect(await callbacks()).toHaveLength(1)
    await save('a')
    expect(await callbacks()).toHaveLength(0)
    await restoreSnapshot(sandbox, 't1', 'a')
    expect((await callbacks()).map(({ callback_id }) => callback_id)).toEqual(['before-c2'])
  })

  it('are listed oldest first; one that is saved again counts as the newest', async () => {
    expect(await names()).toEqual([])
    await save('b', 1)
    await save('a/ñ', 2)
    await save('c', 3)
    expect(await sandbox.listSnapshots('t1')).toEqual([
      { name: 'b', saved_at: 1 },
      { name: 'a/ñ', saved_at: 2 },
      { name: 'c', saved_at: 3 },
    ])
    await save('b', 4)
    expect(await names()).toEqual(['a/ñ', 'c', 'b'])
    expect(await names('t2')).toEqual([])
  })

  it('are refused for a tenant that does not exist', async () => {
    await expect(save('a', 5, 'nobody')).rejects.toThrow('There is no tenant nobody.')
  })

  it('contain what was begun before the save, and nothing that was begun after it', async () => {
    const add = (n: number) => sandbox.of('t1').transact(tables => tables.addLead(leadRecord(`z${n}`)))
    await Promise.all([add(1), add(2), save('a'), add(3), add(4)])
    const leads = async () => {
      const all = await sandbox.of('t1').transact(tables => tables.listLeads({ limit: 99 }))
      return all.map(({ lead_id }) => lead_id).filter(id => id.startsWith('z'))
    }
    expect(await leads()).toEqual(['z4', 'z3', 'z2', 'z1'])
    const [, there] = await Promise.all([restoreSnapshot(sandbox, 't1', 'a'), leads(), add(5)])
    expect(there).toEqual(['z2', 'z1'])
    expect(await leads()).toEqual(['z5', 'z2', 'z1'])
  })

  it('are serialized with other operations on the whole tenant', async () => {
    const before = await content()
    const add = (id: string) => sandbox.of('t1').transact(tables => tables.addLead(leadRecord(id)))
    await Promise.all([save('a'), sandbox.clearTenant(tenantRecord('t1')), add('z1'), save('b')])
    const restored = [restoreSnapshot(sandbox, 't1', 'a'), sandbox.deleteSnapshot('t1', 'a'), save('c')]
    await Promise.all(restored)
    expect(await content()).toEqual(before)
    expect(await names()).toEqual(['b', 'c'])
    await restoreSnapshot(sandbox, 't1', 'b')
    expect(await newestIds(sandbox, 't1')).toEqual({ lead_id: 'z1', callback_id: undefined })
    // A storage may refuse to restore a snapshot that is deleted concurrently.
    const restoring = restoreSnapshot(sandbox, 't1', 'c').catch(() => undefined)
    await Promise.all([restoring, sandbox.deleteTenant('t1')])
    expect(await sandbox.addTenant(tenantRecord('t1'))).toBe(true)
    expect(await newestIds(sandbox, 't1')).toEqual({ lead_id: undefined, callback_id: undefined })
    expect(await names()).toEqual([])
  })

  it('change nothing if a restore fails, and can still be restored later', async () => {
    const before = await content()
    await save('a')
    await fill(sandbox, 't1', 'later')
    const later = await content()
    const failing = sandbox.restoreSnapshot('t1', 'a', async (record, tables) => {
      await tables.writeDocument('clock', { mode: 'frozen', now: 9 })
      await tables.addLead(leadRecord('gone'))
      if (record.tenant === 't1') throw new Error('no')
      return { record }
    })
    await expect(failing).rejects.toThrow('no')
    expect(await content()).toEqual(later)
    expect((await listRecords(sandbox))[0]).toEqual(tenantRecord('t1'))
    await restoreSnapshot(sandbox, 't1', 'a')
    expect(await content()).toEqual(before)
  })

  it('contain nothing from a transaction that rolls back', async () => {
    const before = await content()
    const failing = sandbox.of('t1').transact(async tables => {
      await tables.addLead(leadRecord('gone'))
      throw new Error('no')
    })
    const saved = save('a')
    await expect(failing).rejects.toThrow('no')
    await saved
    await restoreSnapshot(sandbox, 't1', 'a')
    expect(await content()).toEqual(before)
  })
})

describe.each(Object.entries(adapters))('tenants: %s', (_name, open) => {
  it('have unique names, even if 20 concurrent calls request the same one', async () => {
    const sandbox = await open()
    const added = await Promise.all(Array.from({ length: 20 }, () => sandbox.addTenant(tenantRecord('t1'))))
    expect(added.filter(Boolean)).toHaveLength(1)
  })

  it('are listed oldest first, each in its latest version, and keep their position when cleared', async () => {
    const sandbox = await open()
    for (const name of ['t2', 't1', 'a']) await sandbox.addTenant(tenantRecord(name))
    const empty = await contentOf(sandbox, 't1', ['before'])
    await fill(sandbox, 't1', 'before')
    const [changed, cleared] = ['changed \ud800', 'cleared'].map(seed => ({ ...tenantRecord('t1'), seed }))
    for (const [change, record] of [
      [sandbox.replaceTenant, changed],
      [sandbox.clearTenant, cleared],
    ] as const) {
      await change(record ?? expect.unreachable())
      expect(await listRecords(sandbox)).toEqual([tenantRecord('t2'), record, tenantRecord('a')])
      await expect(change(tenantRecord('nobody'))).rejects.toThrow('There is no tenant nobody.')
    }
    expect(await contentOf(sandbox, 't1', ['before'])).toEqual(empty)
    await sandbox.deleteTenant('nobody')
    await sandbox.deleteTenant('t2')
    expect(await listRecords(sandbox)).toEqual([cleared, tenantRecord('a')])
  })
})
