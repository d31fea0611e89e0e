import type { Storage } from '@lead-distribution/engine'
import type { SandboxStorage, SandboxTables } from '@lead-distribution/simulator'
import {
  ageMark,
  callbackRecord,
  eventRecord,
  leadRecord,
  tenantRecord,
} from '@lead-distribution/simulator/records.fixture'
import { beforeEach, describe, expect, it } from 'vitest'
import { adapters, newestIds } from './storage.fixture.ts'

describe.each(Object.entries(adapters))('transactions: %s', (_name, open) => {
  let sandbox: SandboxStorage
  let storage: Storage<SandboxTables>
  beforeEach(async () => {
    sandbox = await open()
    await sandbox.addTenant(tenantRecord('t1'))
    storage = sandbox.of('t1')
  })

  it("returns the function's result", async () => {
    expect(await storage.transact(async () => 42)).toBe(42)
  })

  it.each(['transact', 'read'] as const)('rejects with the error of a %s, thrown synchronously or later', async way => {
    const error = new Error('no')
    await expect(storage[way](() => Promise.reject(error))).rejects.toBe(error)
    await expect(
      storage[way](() => {
        throw error
      }),
    ).rejects.toBe(error)
    expect(await storage[way](async () => 42)).toBe(42)
  })

  it('sees all earlier commits, and nothing from a rollback', async () => {
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

  it('rejects a read of a tenant that does not exist', async () => {
    await sandbox.deleteTenant('t1')
    await expect(storage.read(tables => tables.listLeads({ limit: 1 }))).rejects.toThrow('There is no tenant t1.')
  })

  it('rolls back one of many concurrent transactions without affecting the others', async () => {
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

  it('serializes read-modify-write transactions, even if they wait in between', async () => {
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

  it('sees what the previous transaction with the address stored for it', async () => {
    const found = await Promise.all(
      [1, 2, 3].map(n =>
        storage.transact(async tables => {
          const customer = await tables.findCustomer('p1', 'ana@example.com')
          if (!customer) await tables.markRefused('p1', 'ana@example.com', n)
          return customer !== undefined
        }),
      ),
    )
    expect(found).toEqual([false, true, true])
  })

  it('loses no update of a document', async () => {
    const count = () =>
      storage.transact(async tables => {
        const { ages = [] } = await tables.readDocuments()
        await tables.writeDocument('ages', [...ages, ageMark(ages.length)])
      })
    await Promise.all(Array.from({ length: 9 }, count))
    const { ages } = await storage.transact(tables => tables.readDocuments())
    expect(ages?.map(({ at }) => at)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('sees its own writes, which are invisible to others until the commit', async () => {
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

  it('rejects writes for a tenant that does not exist', async () => {
    await expect(sandbox.of('nobody').transact(tables => tables.addLead(leadRecord('l1')))).rejects.toThrow()
  })

  it('discards writes that come after the deletion of the tenant', async () => {
    const deleted = sandbox.deleteTenant('t1')
    await expect(storage.transact(tables => tables.addLead(leadRecord('l1')))).rejects.toThrow()
    await deleted
    await sandbox.addTenant(tenantRecord('t1'))
    expect(await newestIds(sandbox, 't1')).toEqual({ lead_id: undefined, callback_id: undefined })
  })

  describe('concurrent transactions', () => {
    it('grant an address of one product to a single lead', async () => {
      const claim = (lead: string) => storage.transact(tables => tables.claimCustomer('p1', 'ana@example.com', lead))
      const won = await Promise.all(Array.from({ length: 20 }, (_, n) => claim(`lead-${n}`)))
      expect(won.filter(Boolean)).toHaveLength(1)
      const customer = await storage.transact(tables => tables.findCustomer('p1', 'ana@example.com'))
      expect(customer).toEqual({ lead_id: `lead-${won.indexOf(true)}` })
    })

    it('grant an address again after the transaction that claimed it is rolled back', async () => {
      const failed = storage.transact(async tables => {
        await tables.claimCustomer('p1', 'ana@example.com', 'first')
        throw new Error('no')
      })
      const next = storage.transact(tables => tables.claimCustomer('p1', 'ana@example.com', 'second'))
      await expect(failed).rejects.toThrow('no')
      expect(await next).toBe(true)
    })

    it('record one of 50 identical events', async () => {
      const claim = (n: number) =>
        storage.transact(tables => tables.claimEvent(eventRecord('l1', 'sale', { ref: `${n}` })))
      const claimed = await Promise.all(Array.from({ length: 50 }, (_, n) => claim(n)))
      expect(claimed.filter(Boolean)).toHaveLength(1)
      const ref = `${claimed.indexOf(true)}`
      expect(await storage.transact(tables => tables.listEvents('l1'))).toEqual([eventRecord('l1', 'sale', { ref })])
    })

    it('lease each callback to one holder', async () => {
      const ids = Array.from({ length: 10 }, (_, n) => `c${n}`)
      await storage.transact(async tables => {
        for (const id of ids) await tables.addCallback(callbackRecord(id, `lead of ${id}`))
      })
      const lease = { due_by: 100, now: 0, until: 1_000, limit: 3 }
      const leasing = ids.map(() => storage.transact(tables => tables.leaseDueCallbacks(lease)))
      const leased = (await Promise.all(leasing)).flat().map(({ callback_id }) => callback_id)
      expect(leased.sort()).toEqual(ids)
    })

    it('sum up the coverage, without rolled-back transactions', async () => {
      const add = (counts: Record<string, number>) => storage.transact(tables => tables.addCoverage(counts))
      const adding = Array.from({ length: 9 }, (_, n) => add({ 'reason/a': 1, [`outcome/${n % 2}`]: 2 }))
      const failed = storage.transact(async tables => {
        await tables.addCoverage({ 'reason/a': 100, new: 1 })
        throw new Error('no')
      })
      await expect(failed).rejects.toThrow('no')
      await Promise.all(adding)
      const coverage = await storage.transact(tables => tables.readCoverage())
      expect(coverage).toEqual({ 'reason/a': 9, 'outcome/0': 10, 'outcome/1': 8 })
    })

    it('keep the attempt of a callback that is released slightly earlier or later', async () => {
      const attempt = { at: 1, status: 200, ms: 1 }
      for (let later = 0; later < 12; later++) {
        const callback_id = `c${later}`
        await storage.transact(async tables => {
          await tables.addCallback(callbackRecord(callback_id, 'l1', { held: 'reorder' }))
          await tables.leaseDueCallbacks({ due_by: 100, now: 0, until: 1_000, limit: 1 })
        })
        const outcome = { callback_id, url: 'x:', attempt, state: 'delivered' } as const
        await Promise.all([
          storage.transact(tables => tables.recordAttempt(outcome, { leased_until: 1_000 })),
          storage.transact(async tables => {
            for (let turn = 0; turn < later; turn++) await undefined
            await tables.releaseReordered('l1', 5)
          }),
        ])
        const callback = await storage.read(tables => tables.findCallback(callback_id))
        expect(callback).toMatchObject({ state: 'delivered', attempts: [attempt] })
      }
    })

    it('keep a customer whom a lead claims while the old lead is removed, slightly earlier or later', async () => {
      for (let later = 0; later < 12; later++) {
        const email = `${later}@example.com`
        await storage.transact(async tables => {
          await tables.markRefused('p1', email, 50)
          await tables.addLead(leadRecord('l0', { email, received_at: 100 }))
        })
        const claim = async (tables: SandboxTables) => {
          await tables.findLead('l1')
          await tables.findCustomer('p1', email)
          return tables.claimCustomer('p1', email, 'l5')
        }
        const remove = async (tables: SandboxTables) => {
          for (let turn = 0; turn < later; turn++) await undefined
          return tables.removeLeads('l0', 1)
        }
        await Promise.all([storage.transact(claim), storage.transact(remove)])
        expect((await storage.transact(tables => tables.findCustomer('p1', email)))?.lead_id).toBe('l5')
      }
    })
  })
})
