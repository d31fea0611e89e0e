import type { Storage } from '@lead-distribution/engine'
import type { SandboxStorage, SandboxTables } from '@lead-distribution/simulator'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  adapters,
  ageMark,
  callbackRecord,
  contentOf,
  eventRecord,
  fill,
  leadRecord,
  newestIds,
  tenantRecord,
} from './storage.fixture.ts'

describe.each(Object.entries(adapters))('transactions: %s', (_name, open) => {
  let sandbox: SandboxStorage
  let storage: Storage<SandboxTables>
  beforeEach(async () => {
    sandbox = await open()
    await sandbox.addTenant(tenantRecord('t1'))
    storage = sandbox.of('t1')
  })

  it('returns what the work returns', async () => {
    expect(await storage.transact(async () => 42)).toBe(42)
  })

  it.each(['transact', 'read'] as const)(
    'rejects with what the work of a %s rejects with, thrown at once or later',
    async way => {
      const error = new Error('no')
      await expect(storage[way](() => Promise.reject(error))).rejects.toBe(error)
      await expect(
        storage[way](() => {
          throw error
        }),
      ).rejects.toBe(error)
      expect(await storage[way](async () => 42)).toBe(42)
    },
  )

  it('reads what every transaction before it committed, and nothing of one that is taken back', async () => {
    for (let n = 0; n < 20; n++) {
      const failed = storage.transact(async tables => {
        await tables.addLead(leadRecord(`gone-${n}`))
        throw new Error('no')
      })
      const isTakenBack = expect(failed).rejects.toThrow('no')
      await storage.transact(tables => tables.addLead(leadRecord(`l${n}`)))
      const seen = storage.read(tables => Promise.all([`l${n}`, `gone-${n}`].map(id => tables.findLead(id))))
      await isTakenBack
      expect(await seen).toEqual([leadRecord(`l${n}`), undefined])
    }
  })

  it('rejects a read of a tenant that is not there', async () => {
    await sandbox.deleteTenant('t1')
    await expect(storage.read(tables => tables.listLeads({ limit: 1 }))).rejects.toThrow('There is no tenant t1.')
  })

  it('takes every kind of write back when the work rejects', async () => {
    await storage.transact(async tables => {
      await tables.markRefused('p1', 'kept@example.com', 1)
      await tables.addCallback(callbackRecord('kept', 'kept'))
    })
    await expect(
      storage.transact(async tables => {
        await tables.markRefused('p1', 'kept@example.com', 2)
        await tables.markRefused('p1', 'gone@example.com', 2)
        await tables.claimCustomer('p1', 'kept@example.com', 'gone')
        await tables.claimCustomer('p1', 'new@example.com', 'gone')
        await tables.addLead(leadRecord('gone'))
        await tables.claimEvent(eventRecord('gone', 'sale'))
        await tables.addCallback(callbackRecord('gone', 'gone'))
        await tables.leaseDueCallbacks({ due_by: 100, now: 0, until: 1_000, limit: 9 })
        const attempt = { at: 1, status: 200, ms: 1 }
        const outcome = { callback_id: 'kept', url: 'x:', attempt, state: 'delivered' } as const
        expect(await tables.recordAttempt(outcome, { leased_until: 1_000 })).toBe(true)
        throw new Error('no')
      }),
    ).rejects.toThrow('no')

    await storage.transact(async tables => {
      expect(await tables.findCustomer('p1', 'kept@example.com')).toEqual({ refused_at: 1 })
      expect(await tables.findCustomer('p1', 'gone@example.com')).toBeUndefined()
      expect(await tables.findCustomer('p1', 'new@example.com')).toBeUndefined()
      expect(await tables.findLead('gone')).toBeUndefined()
      expect(await tables.listEvents('gone')).toEqual([])
      expect(await tables.listCallbacks('gone')).toEqual([])
      expect(await tables.leaseDueCallbacks({ due_by: 100, now: 0, until: 1_000, limit: 9 })).toEqual([
        { ...callbackRecord('kept', 'kept'), leased_until: 1_000 },
      ])
    })
    expect(await newestIds(sandbox, 't1')).toEqual({ lead_id: undefined, callback_id: 'kept' })
  })

  it('takes back what a work changed of what was there, in every table', async () => {
    await fill(sandbox, 't1', 'kept')
    const before = await contentOf(sandbox, 't1', ['kept', 'gone'])
    const failed = storage.transact(async tables => {
      const lease = { due_by: 100, now: 0, until: 1_000, limit: 1 }
      const [first] = await tables.leaseDueCallbacks(lease)
      expect(first).toMatchObject({ callback_id: 'kept-c2', leased_until: 1_000, resent_after: 1 })
      const held = { leased_until: 1_000, resent_after: 1 }
      await tables.postponeCallback({ callback_id: 'kept-c2', due_at: 900, held: 'reorder' }, held)
      await tables.releaseReordered('kept-l1', 800)
      const [second] = await tables.leaseDueCallbacks(lease)
      expect(second).toMatchObject({ callback_id: 'kept-c1' })
      const outcome = { callback_id: 'kept-c1', url: 'x:', attempt: { at: 1, ms: 1 }, state: 'delivered' } as const
      expect(await tables.recordAttempt(outcome, { leased_until: 1_000 })).toBe(true)
      for (const id of ['kept-c1', 'kept-c3']) await tables.requeueCallback(id, 700)
      for (const { report_id } of await tables.listDueReports(100, 9)) await tables.removeReport(report_id)
      await tables.trimInbox(1)
      await tables.trimRequests(99)
      await tables.setChain('chain', 99)
      await tables.writeDocument('clock', { mode: 'running', ahead_ms: 1 })
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(await contentOf(sandbox, 't1', ['kept', 'gone'])).toEqual(before)
    // Also the order and the leases: not one is held, and the oldest comes first.
    const leased = await storage.transact(tables =>
      tables.leaseDueCallbacks({ due_by: 9_999, now: 0, until: 1, limit: 9 }),
    )
    expect(leased.map(({ callback_id }) => callback_id)).toEqual(['kept-c2'])
    await fill(sandbox, 't1', 'gone')
    expect((await contentOf(sandbox, 't1', ['kept', 'gone'])).due).toEqual([100, 4])
  })

  it('takes back one work of many that run together, and keeps its neighbours', async () => {
    const add = (n: number) =>
      storage.transact(async tables => {
        await tables.claimCustomer('p1', `${n}@example.com`, `lead-${n}`)
        await tables.addLead(leadRecord(`lead-${n}`))
        if (n % 3 === 0) throw new Error(`no ${n}`)
        return n
      })
    const all = Array.from({ length: 30 }, (_, n) => n)
    const results = await Promise.allSettled(all.map(add))
    expect(results.map(({ status }) => status)).toEqual(all.map(n => (n % 3 === 0 ? 'rejected' : 'fulfilled')))
    await storage.transact(async tables => {
      for (const n of all) {
        expect((await tables.findLead(`lead-${n}`)) !== undefined).toBe(n % 3 !== 0)
        expect((await tables.findCustomer('p1', `${n}@example.com`)) !== undefined).toBe(n % 3 !== 0)
      }
    })
  })

  it('runs works that write what follows from what they read one after the other, also where they wait', async () => {
    const log: string[] = []
    const work = (name: string) =>
      storage.transact(async tables => {
        const plays = await tables.readChain('chain')
        log.push(`${name} begins at ${plays}`)
        await new Promise(resolve => setTimeout(resolve, 5))
        await tables.setChain('chain', plays + 1)
        log.push(`${name} ends`)
      })
    await Promise.all([work('a'), work('b')])
    expect(log).toEqual(['a begins at 0', 'a ends', 'b begins at 1', 'b ends'])
  })

  it.each<[string, (tables: SandboxTables, n: number) => Promise<unknown>]>([
    ['an address', (tables, n) => tables.markRefused('p1', 'ana@example.com', n)],
    ['a lead', (tables, n) => tables.claimCustomer('p1', 'ana@example.com', `l${n}`)],
  ])('shows the next work with an address what the one before stored of it: %s', async (_what, store) => {
    const found = await Promise.all(
      [1, 2, 3].map(n =>
        storage.transact(async tables => {
          const customer = await tables.findCustomer('p1', 'ana@example.com')
          if (!customer) await store(tables, n)
          return customer !== undefined
        }),
      ),
    )
    expect(found).toEqual([false, true, true])
  })

  it('loses no change of a document that is made from what was read', async () => {
    const count = () =>
      storage.transact(async tables => {
        const { ages = [] } = await tables.readDocuments()
        await tables.writeDocument('ages', [...ages, ageMark(ages.length)])
      })
    await Promise.all(Array.from({ length: 9 }, count))
    const { ages } = await storage.transact(tables => tables.readDocuments())
    expect(ages?.map(({ at }) => at)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('shows a work its own writes, and others nothing before it is done', async () => {
    const writing = storage.transact(async tables => {
      await tables.addLead(leadRecord('l1'))
      expect(await tables.findLead('l1')).toEqual(leadRecord('l1'))
      await new Promise(resolve => setTimeout(resolve, 5))
      throw new Error('no')
    })
    const found = storage.transact(tables => tables.findLead('l1'))
    await expect(writing).rejects.toThrow('no')
    expect(await found).toBeUndefined()
  })

  it('refuses to write for a tenant that is not there', async () => {
    await expect(sandbox.of('nobody').transact(tables => tables.addLead(leadRecord('l1')))).rejects.toThrow()
  })

  it('keeps nothing of a work that comes behind the deletion of its tenant', async () => {
    const deleted = sandbox.deleteTenant('t1')
    await expect(storage.transact(tables => tables.addLead(leadRecord('l1')))).rejects.toThrow()
    await deleted
    await sandbox.addTenant(tenantRecord('t1'))
    expect(await newestIds(sandbox, 't1')).toEqual({ lead_id: undefined, callback_id: undefined })
  })
})
