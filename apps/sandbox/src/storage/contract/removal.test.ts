import type { SandboxStorage, SandboxTables } from '@lead-distribution/simulator'
import { beforeEach, describe, expect, it } from 'vitest'
import { adapters, callbackRecord, eventRecord, leadRecord, scheduledReport, tenantRecord } from './storage.fixture.ts'

describe.each(Object.entries(adapters))('removing old leads: %s', (_name, open) => {
  let storage: SandboxStorage
  beforeEach(async () => {
    storage = await open()
    for (const tenant of ['t1', 't2']) {
      await storage.addTenant(tenantRecord(tenant))
      await storage.of(tenant).transact(async tables => {
        for (const id of ['l1', 'l2', 'l3', 'l4']) {
          await tables.claimCustomer('p1', `${id}@example.com`, id)
          await tables.addLead(leadRecord(id, { received_at: 100 }))
          await tables.claimEvent(eventRecord(id, 'sale'))
          await tables.addCallback(callbackRecord(`c-${id}`, id))
          await tables.addReport(scheduledReport(`${id}/0`, { lead_id: id }))
        }
      })
    }
  })

  const leftOf = (tenant: string) =>
    storage.of(tenant).transact(async tables => ({
      leads: (await tables.listLeads({ limit: 9 })).map(({ lead_id }) => lead_id),
      customers: await Promise.all(['l1', 'l2', 'l3'].map(id => tables.findCustomer('p1', `${id}@example.com`))),
      events: (await Promise.all(['l1', 'l2', 'l3'].map(id => tables.listEvents(id)))).map(({ length }) => length),
      callbacks: (await tables.listAllCallbacks({ limit: 9 })).map(({ lead_id }) => lead_id),
      pending: await tables.countPendingCallbacks(),
      reports: (await tables.listDueReports(100, 9)).map(({ lead_id }) => lead_id),
    }))

  it('removes the oldest with all that belongs to them, up to the lead and as many as it may, of this tenant', async () => {
    expect(await storage.of('t1').transact(tables => tables.removeLeads('l3', 2))).toBe(2)
    expect(await leftOf('t1')).toEqual({
      leads: ['l4', 'l3'],
      customers: [undefined, undefined, { lead_id: 'l3' }],
      events: [0, 0, 1],
      callbacks: ['l4', 'l3'],
      pending: 2,
      reports: ['l3', 'l4'],
    })
    expect(await storage.of('t1').transact(tables => tables.removeLeads('l3', 2))).toBe(1)
    expect(await storage.of('t1').transact(tables => tables.removeLeads('l3', 2))).toBe(0)
    expect((await leftOf('t1')).leads).toEqual(['l4'])
    expect((await leftOf('t2')).leads).toEqual(['l4', 'l3', 'l2', 'l1'])
  })

  it('keeps a customer that a younger lead has, or that was refused later', async () => {
    await storage.of('t1').transact(async tables => {
      await tables.addLead(leadRecord('l0a', { email: 'l4@example.com', received_at: 50 }))
      await tables.addLead(leadRecord('l0b', { email: 'late@example.com', received_at: 50 }))
      await tables.addLead(leadRecord('l0c', { email: 'early@example.com', received_at: 50 }))
      await tables.markRefused('p1', 'late@example.com', 51)
      await tables.markRefused('p1', 'early@example.com', 50)
    })
    expect(await storage.of('t1').transact(tables => tables.removeLeads('l0z', 9))).toBe(3)
    const find = (name: string) => storage.of('t1').transact(tables => tables.findCustomer('p1', `${name}@example.com`))
    expect([await find('l4'), await find('late'), await find('early')]).toEqual([
      { lead_id: 'l4' },
      { refused_at: 51 },
      undefined,
    ])
  })

  it('leaves a customer that a lead claims at the same time, whichever is a little later', async () => {
    const work = storage.of('t1')
    for (let later = 0; later < 12; later++) {
      const email = `${later}@example.com`
      await work.transact(async tables => {
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
      await Promise.all([work.transact(claim), work.transact(remove)])
      expect((await work.transact(tables => tables.findCustomer('p1', email)))?.lead_id).toBe('l5')
    }
  })
})
