import type { LeadRecord, Storage } from '@lead-distribution/engine'
import type { SandboxStorage, SandboxTables } from '@lead-distribution/simulator'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  adapters,
  callbackRecord,
  eventRecord,
  inboxEntry,
  leadRecord,
  listRecords,
  newestIds,
  tenantRecord,
} from './storage.fixture.ts'

const awkward: Record<string, unknown> = {
  'a lone surrogate': '\ud800 \udfff',
  NUL: 'a\0b',
  emoji: '👩‍👩‍👧 ñ 漢',
  'the longest line': `${'x'.repeat(255 * 1024)}\u2028`,
  'a key __proto__': JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'),
  'what SQL quotes': `'; drop table leads; -- " ? $1 \\`,
  numbers: [0, -1.5, 1e21, Number.MAX_SAFE_INTEGER],
  nothing: [null, '', [], {}],
}

describe.each(Object.entries(adapters))('records: %s', (_name, open) => {
  let sandbox: SandboxStorage
  let storage: Storage<SandboxTables>
  beforeEach(async () => {
    sandbox = await open()
    await sandbox.addTenant(tenantRecord('t1'))
    await sandbox.addTenant(tenantRecord('t2'))
    storage = sandbox.of('t1')
  })

  it('records how the back end of one advertiser answered a lead, in place of an earlier answer', async () => {
    const accepted = { decision: 'accepted' as const, reasons: [], redirect_url: 'http://127.0.0.1/' }
    const deliveries = ['a1', 'a2'].map(advertiser_id => ({ advertiser_id, name: advertiser_id, ...accepted }))
    const leads = ['l1', 'l2'].map(lead_id => leadRecord(lead_id, { deliveries }))
    await storage.transact(async tables => {
      for (const lead of leads) await tables.addLead(lead)
    })
    const answer = { at: 1, status: 201, ms: 2 }
    const record = (...named: [lead: string, advertiser: string]) =>
      storage.transact(tables => tables.recordBackendResponse(...named, answer))
    await storage.transact(tables => tables.recordBackendResponse('l1', 'a2', { at: 0, error: 'refused', ms: 0 }))
    for (const [lead, advertiser] of [
      ['l1', 'a2'],
      ['l1', 'a9'],
      ['l9', 'a1'],
    ] as const)
      await record(lead, advertiser)
    const changed = { ...leads[0], deliveries: [deliveries[0], { ...deliveries[1], backend: answer }] }
    expect(await storage.transact(tables => tables.listLeads({ limit: 9 }))).toEqual([leads[1], changed])
  })

  describe('customers', () => {
    const find = () => storage.transact(tables => tables.findCustomer('p1', 'ana@example.com'))
    const claim = (lead: string) => storage.transact(tables => tables.claimCustomer('p1', 'ana@example.com', lead))
    const refuse = (at: number) => storage.transact(tables => tables.markRefused('p1', 'ana@example.com', at))

    it('does not know an address that nobody had', async () => {
      expect(await find()).toBeUndefined()
    })

    it('gives one address of one product to one lead, also when 20 ask at once', async () => {
      const won = await Promise.all(Array.from({ length: 20 }, (_, n) => claim(`lead-${n}`)))
      expect(won.filter(Boolean)).toHaveLength(1)
      expect(await find()).toEqual({ lead_id: `lead-${won.indexOf(true)}` })
      expect(await claim('later')).toBe(false)
    })

    it('gives the address again when the work that had it rejected', async () => {
      const failed = storage.transact(async tables => {
        await tables.claimCustomer('p1', 'ana@example.com', 'first')
        throw new Error('no')
      })
      const next = claim('second')
      await expect(failed).rejects.toThrow('no')
      expect(await next).toBe(true)
    })

    it('keeps every character of an address', async () => {
      const addresses = ['\0', '\ufffe', '\ufffe0\0\ufffe1', 'ü😀'].map(sign => `a${sign}@example.com`)
      for (const [n, email] of addresses.entries())
        expect(await storage.transact(tables => tables.claimCustomer('p1', email, `l${n}`))).toBe(true)
      await storage.transact(async tables => {
        await tables.addLead(leadRecord('l9', { email: addresses[2] as string }))
        expect((await tables.findLead('l9'))?.email).toBe(addresses[2])
        expect(await tables.findCustomer('p1', addresses[0] as string)).toEqual({ lead_id: 'l0' })
      })
    })

    it('remembers the last refusal, before a claim and after', async () => {
      await refuse(1)
      await refuse(2)
      expect(await find()).toEqual({ refused_at: 2 })
      expect(await claim('lead-1')).toBe(true)
      await refuse(3)
      expect(await find()).toEqual({ lead_id: 'lead-1', refused_at: 3 })
      expect(await claim('lead-2')).toBe(false)
    })

    it('keeps products, addresses and tenants apart', async () => {
      await claim('lead-1')
      expect(await storage.transact(tables => tables.claimCustomer('p2', 'ana@example.com', 'x'))).toBe(true)
      expect(await storage.transact(tables => tables.claimCustomer('p1', 'Ana@example.com', 'x'))).toBe(true)
      expect(await sandbox.of('t2').transact(tables => tables.claimCustomer('p1', 'ana@example.com', 'x'))).toBe(true)
    })
  })

  describe('leads', () => {
    const roundTrip = async (lead: LeadRecord) => {
      await storage.transact(tables => tables.addLead(lead))
      return storage.transact(tables => tables.findLead(lead.lead_id))
    }

    it('gives a lead back as it was', async () => {
      expect(await roundTrip(leadRecord('l1'))).toStrictEqual(leadRecord('l1'))
      const plain = leadRecord('l2', { status: 'rejected', rejection_reason: 'age_restriction' })
      expect(await roundTrip(plain)).toStrictEqual(plain)
      expect(await storage.transact(tables => tables.findLead('l3'))).toBeUndefined()
    })

    it.each(Object.entries(awkward))('gives %s back as it was', async (_what, input) => {
      const submission = { note: input } as unknown as LeadRecord['submission']
      const found = await roundTrip(leadRecord('l1', { submission, trace: [{ check: 'x', verdict: 'passed', input }] }))
      expect(JSON.stringify(found?.submission)).toBe(JSON.stringify(submission))
      expect(JSON.stringify(found?.trace[0]?.input)).toBe(JSON.stringify(input))
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    })

    it('shows a lead only to its own tenant', async () => {
      await roundTrip(leadRecord('l1'))
      expect(await sandbox.of('t2').transact(tables => tables.findLead('l1'))).toBeUndefined()
    })
  })

  describe('events', () => {
    const claim = (event: ReturnType<typeof eventRecord>) => storage.transact(tables => tables.claimEvent(event))

    it('records one of 50 equal events that come at once', async () => {
      const taken = await Promise.all(
        Array.from({ length: 50 }, (_, n) => claim(eventRecord('l1', 'sale', { ref: `${n}` }))),
      )
      expect(taken.filter(Boolean)).toHaveLength(1)
      expect(await storage.transact(tables => tables.listEvents('l1'))).toEqual([
        eventRecord('l1', 'sale', { ref: `${taken.indexOf(true)}` }),
      ])
    })

    it('lists the events of a lead in the order of recording, as they were', async () => {
      const events = [
        eventRecord('l1', 'sale', { via: 'body', ref: '\ud800\0', metadata: { amount: 1.5 } as never }),
        eventRecord('l1', 'lead', { reported_as: 'other', recorded_at: 1 }),
        eventRecord('l1', 'sale', { advertiser_id: 'a2' }),
      ]
      for (const event of events) expect(await claim(event)).toBe(true)
      expect(await claim(eventRecord('l2', 'sale'))).toBe(true)
      expect(await sandbox.of('t2').transact(tables => tables.claimEvent(eventRecord('l1', 'sale')))).toBe(true)
      expect(await storage.transact(tables => tables.listEvents('l1'))).toEqual(events)
      expect(await storage.transact(tables => tables.listEvents('l3'))).toEqual([])
    })
  })

  describe('tenants', () => {
    it('gives a name to one tenant, also when 20 ask at once', async () => {
      const added = await Promise.all(Array.from({ length: 20 }, () => sandbox.addTenant(tenantRecord('t3'))))
      expect(added.filter(Boolean)).toHaveLength(1)
    })

    it('lists tenants oldest first, each in its last version', async () => {
      await sandbox.addTenant(tenantRecord('a'))
      const changed = { ...tenantRecord('t1'), seed: 'other \ud800' }
      await sandbox.replaceTenant(changed)
      expect(await listRecords(sandbox)).toEqual([changed, tenantRecord('t2'), tenantRecord('a')])
      await expect(sandbox.replaceTenant(tenantRecord('nobody'))).rejects.toThrow('There is no tenant nobody.')
    })

    it('knows the ids that a tenant gave last', async () => {
      await storage.transact(async tables => {
        await tables.addLead(leadRecord('l1'))
        await tables.addLead(leadRecord('l2', { status: 'rejected' }))
        await tables.addCallback(callbackRecord('c1', 'l1'))
      })
      expect(await newestIds(sandbox, 't1')).toEqual({ lead_id: 'l2', callback_id: 'c1' })
      expect(await newestIds(sandbox, 't2')).toEqual({ lead_id: undefined, callback_id: undefined })
    })

    it('deletes a tenant with all that it has, and nothing of others', async () => {
      for (const tenant of ['t1', 't2']) {
        await sandbox.of(tenant).transact(async tables => {
          await tables.claimCustomer('p1', 'ana@example.com', `${tenant}-l1`)
          await tables.addLead(leadRecord(`${tenant}-l1`))
          await tables.claimEvent(eventRecord('l1', 'sale'))
          await tables.addCallback(callbackRecord('c1', 'l1'))
          await tables.addInboxEntry(inboxEntry(1))
        })
      }
      await sandbox.deleteTenant('t1')
      await sandbox.deleteTenant('nobody')
      expect((await sandbox.listTenants()).map(({ tenant }) => tenant)).toEqual(['t2'])
      const there = await sandbox.of('t2').transact(tables => tables.findLead('t2-l1'))
      expect(there?.lead_id).toBe('t2-l1')
      expect(await sandbox.of('t2').transact(tables => tables.listInbox({ limit: 9 }))).toHaveLength(1)
      expect(await sandbox.addTenant(tenantRecord('t1'))).toBe(true)
      expect(await newestIds(sandbox, 't1')).toEqual({ lead_id: undefined, callback_id: undefined })
      expect(await newestIds(sandbox, 't2')).toEqual({ lead_id: 't2-l1', callback_id: 'c1' })
      await sandbox.of('t1').transact(async tables => {
        expect(await tables.findCustomer('p1', 'ana@example.com')).toBeUndefined()
        expect(await tables.listEvents('l1')).toEqual([])
        expect(await tables.nextCallbackDue()).toBeUndefined()
        expect(await tables.listInbox({ limit: 9 })).toEqual([])
      })
    })
  })
})
