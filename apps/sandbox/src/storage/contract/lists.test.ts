import type { LeadRecord, Storage } from '@lead-distribution/engine'
import type { CallbackFilter, LeadFilter, LeadSearch, SandboxTables } from '@lead-distribution/simulator'
import { beforeEach, describe, expect, it } from 'vitest'
import { adapters, callbackRecord, eventRecord, leadRecord, twoTenants } from './storage.fixture.ts'

describe.each(Object.entries(adapters))('lists: %s', (_name, open) => {
  let storage: Storage<SandboxTables>
  let other: Storage<SandboxTables>
  beforeEach(async () => {
    ;[storage, other] = await twoTenants(open)
  })

  describe('leads', () => {
    const list = async (filter: Partial<LeadFilter> = {}, place = storage) => {
      const leads = await place.transact(tables => tables.listLeads({ limit: 99, ...filter }))
      return leads.map(({ lead_id }) => lead_id)
    }
    beforeEach(async () => {
      await storage.transact(async tables => {
        const add = async (lead: LeadRecord) => {
          if (lead.status !== 'rejected')
            expect(await tables.claimCustomer(lead.product_id, lead.email, lead.lead_id)).toBe(true)
          await tables.addLead(lead)
        }
        await add(leadRecord('l1', { email: 'ana@example.com' }))
        await add(leadRecord('l2', { status: 'new' }))
        // Came in just before the one behind it, and was added just after.
        await add(leadRecord('l4', { status: 'rejected', email: 'ana@example.com' }))
        await add(leadRecord('l3', { email: 'ana@example.com', product_id: 'p2' }))
        await add(leadRecord('l5', { email: 'ana@example.com.example' }))
      })
    })

    it('come newest first, whole, only of their own tenant', async () => {
      expect(await list()).toEqual(['l5', 'l4', 'l3', 'l2', 'l1'])
      expect(await list({}, other)).toEqual([])
      expect(await storage.transact(tables => tables.listLeads({ limit: 1 }))).toStrictEqual([
        leadRecord('l5', { email: 'ana@example.com.example' }),
      ])
    })

    it('come page by page, none twice and none left out', async () => {
      expect(await list({ limit: 2 })).toEqual(['l5', 'l4'])
      expect(await list({ limit: 2, before: 'l4' })).toEqual(['l3', 'l2'])
      expect(await list({ limit: 2, before: 'l2' })).toEqual(['l1'])
      expect(await list({ limit: 2, before: 'l1' })).toEqual([])
      expect(await list({ limit: 0 })).toEqual([])
    })

    it('can be asked for by status, by address, and by both', async () => {
      expect(await list({ status: 'distributed' })).toEqual(['l5', 'l3', 'l1'])
      expect(await list({ status: 'distributed', before: 'l5', limit: 1 })).toEqual(['l3'])
      expect(await list({ email: 'ana@example.com' })).toEqual(['l4', 'l3', 'l1'])
      expect(await list({ email: 'ana@example.com', before: 'l4' })).toEqual(['l3', 'l1'])
      expect(await list({ email: 'ana@example.com', before: 'l3', limit: 1 })).toEqual(['l1'])
      expect(await list({ email: 'ana@example.com', status: 'rejected' })).toEqual(['l4'])
      expect(await list({ email: 'ana@example.com', status: 'rejected', before: 'l4' })).toEqual([])
      expect(await list({ email: 'ana@example.com', status: 'new' })).toEqual([])
      expect(await list({ email: '' })).toEqual([])
    })
  })

  it('has what belongs to the leads from one to another, and no others', async () => {
    const ids = ['l1', 'l2', 'l3', 'l4']
    await storage.transact(async tables => {
      for (const id of ids) await tables.addLead(leadRecord(id))
      for (const event of ['sale', 'approval'])
        for (const id of ids.toReversed()) {
          await tables.claimEvent(eventRecord(id, event))
          await tables.addCallback(callbackRecord(`${id}-${event}`, id, { event }))
        }
    })
    for (const [from, through, found] of [
      ['l2', 'l3', ['l2', 'l3']],
      ['l1', 'l9', ids],
      ['l4', 'l4', ['l4']],
      ['l5', 'l9', []],
    ] as const) {
      const [events, callbacks] = await storage.read(tables =>
        Promise.all([tables.listEvents(from, through), tables.listCallbacks(from, through)]),
      )
      for (const list of [events, callbacks]) {
        expect(new Set(list.map(({ lead_id }) => lead_id))).toEqual(new Set(found))
        for (const id of found)
          expect(list.flatMap(({ lead_id, event }) => (lead_id === id ? event : []))).toEqual(['sale', 'approval'])
      }
    }
  })

  describe('a search of leads', () => {
    const search = async (filter: Partial<LeadSearch> = {}, place = storage) => {
      const { leads, next } = await place.transact(tables => tables.searchLeads({ rows: 99, limit: 99, ...filter }))
      return [...leads.map(({ lead_id }) => lead_id), ...(next === undefined ? [] : [`next ${next}`])]
    }
    beforeEach(async () => {
      await storage.transact(async tables => {
        await tables.addLead(leadRecord('l1', { email: 'ana_1@example.com', received_at: 10 }))
        await tables.addLead(leadRecord('l2', { email: 'anax1@example.com', received_at: 20, product_id: 'p2' }))
        const rejected = { status: 'rejected', rejection_reason: 'age_restriction' } as const
        await tables.addLead(leadRecord('l3', { email: '50%@example.com', received_at: 30, ...rejected }))
        await tables.addLead(leadRecord('l4', { email: 'ana_1@example.org', received_at: 40, status: 'new' }))
      })
    })

    it('finds by each field, and by all of them together', async () => {
      expect(await search()).toEqual(['l4', 'l3', 'l2', 'l1'])
      expect(await search({}, other)).toEqual([])
      expect(await search({ status: 'distributed' })).toEqual(['l2', 'l1'])
      expect(await search({ reason: 'age_restriction' })).toEqual(['l3'])
      expect(await search({ reason: 'blacklisted' })).toEqual([])
      expect(await search({ product_id: 'p2' })).toEqual(['l2'])
      expect(await search({ from: 20, to: 40 })).toEqual(['l3', 'l2'])
      expect(await search({ status: 'distributed', product_id: 'p1', email_part: 'ana', to: 20 })).toEqual(['l1'])
    })

    it('takes a part of an address, and a whole one, as they are: no character is a wildcard', async () => {
      expect(await search({ email_part: 'ana_1' })).toEqual(['l4', 'l1'])
      expect(await search({ email_part: '%' })).toEqual(['l3'])
      expect(await search({ email_part: '@example.org' })).toEqual(['l4'])
      expect(await search({ email: 'ana_1@example.com' })).toEqual(['l1'])
      expect(await search({ email: 'ana' })).toEqual([])
    })

    it('looks at no more than it is asked to, and says where it goes on', async () => {
      expect(await search({ rows: 2, reason: 'blacklisted' })).toEqual(['next l3'])
      expect(await search({ rows: 2, reason: 'blacklisted', before: 'l3' })).toEqual(['next l1'])
      expect(await search({ rows: 2, reason: 'blacklisted', before: 'l1' })).toEqual([])
      expect(await search({ limit: 1, email_part: 'ana' })).toEqual(['l4', 'next l4'])
      expect(await search({ limit: 1, email_part: 'ana', before: 'l4' })).toEqual(['l2', 'next l2'])
    })
  })

  describe('callbacks', () => {
    const list = async (filter: Partial<CallbackFilter> = {}, place = storage) => {
      const callbacks = await place.transact(tables => tables.listAllCallbacks({ limit: 99, ...filter }))
      return callbacks.map(({ callback_id }) => callback_id)
    }
    beforeEach(async () => {
      await storage.transact(async tables => {
        await tables.addCallback(callbackRecord('c1', 'l1', { state: 'delivered', due_at: undefined }))
        await tables.addCallback(callbackRecord('c2', 'l2', { state: 'failed', due_at: undefined }))
        await tables.addCallback(callbackRecord('c3', 'l1'))
        await tables.addCallback(callbackRecord('c4', 'l1', { state: 'delivered', due_at: undefined }))
        await tables.addCallback(callbackRecord('c5', 'l2', { held: 'delay', resent_after: 0 }))
      })
    })

    it('come newest first, whole, only of their own tenant', async () => {
      expect(await list()).toEqual(['c5', 'c4', 'c3', 'c2', 'c1'])
      expect(await list({}, other)).toEqual([])
      expect(await storage.transact(tables => tables.listAllCallbacks({ limit: 1 }))).toStrictEqual([
        callbackRecord('c5', 'l2', { held: 'delay', resent_after: 0 }),
      ])
    })

    it('come page by page, none twice and none left out', async () => {
      expect(await list({ limit: 3 })).toEqual(['c5', 'c4', 'c3'])
      expect(await list({ limit: 3, before: 'c3' })).toEqual(['c2', 'c1'])
      expect(await list({ limit: 3, before: 'c1' })).toEqual([])
      expect(await list({ limit: 0 })).toEqual([])
    })

    it('come by when they are due where they are pending', async () => {
      await storage.transact(tables => tables.addCallback(callbackRecord('c6', 'l1', { due_at: 50 })))
      const pending = (limit: number) => storage.transact(tables => tables.listPendingCallbacks(limit))
      expect((await pending(9)).map(({ callback_id }) => callback_id)).toEqual(['c6', 'c3', 'c5'])
      expect(await pending(1)).toHaveLength(1)
    })

    it('can be asked for by lead, by state, and by both', async () => {
      expect(await list({ lead_id: 'l1' })).toEqual(['c4', 'c3', 'c1'])
      expect(await list({ lead_id: 'l1', before: 'c4', limit: 1 })).toEqual(['c3'])
      expect(await list({ lead_id: 'nobody' })).toEqual([])
      expect(await list({ state: 'delivered' })).toEqual(['c4', 'c1'])
      expect(await list({ state: 'pending' })).toEqual(['c5', 'c3'])
      expect(await list({ state: 'pending', before: 'c5' })).toEqual(['c3'])
      expect(await list({ lead_id: 'l2', state: 'failed' })).toEqual(['c2'])
      expect(await list({ lead_id: 'l2', state: 'delivered' })).toEqual([])
    })
  })
})
