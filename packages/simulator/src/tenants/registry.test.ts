import { createTestLeads } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { manualTime } from '../ports.fixture.ts'
import { openSandbox } from '../sandbox.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { createEventStreams } from '../stream/event-streams.ts'
import { createTenant } from './create-tenant.ts'
import { decorateStorage } from './runtime.ts'

describe("a lead's tenant", () => {
  it("is found among many by the lead's id, and only by an assigned id", async () => {
    const { sandbox, call } = await openSandbox()
    for (let number = 0; number < 40; number++) {
      const { json: account } = await call('POST', '/_sandbox/v1/tenants', { name: `t${number}`, seed: number })
      const headers = { apikey: account.publisher.api_key }
      const { json } = await call('POST', '/api/v1/lead', createTestLeads(account).distributed(), headers)
      expect(await sandbox.tenantOf(json.lead_id)).toBe(`t${number}`)
      // The tenant's next id, and one with its prefix that it never assigns.
      const next = json.lead_id.replace(/^(.{4})0000-0000/, '$10000-0001')
      for (const id of [next, `${json.lead_id.slice(0, -1)}g`, json.lead_id.slice(0, 4), ''])
        expect(await sandbox.tenantOf(id)).toBeUndefined()
    }
  })
})

it('sets the defaults of newer criteria in a stored account', async () => {
  const storage = createMemoryStorage()
  const record = await createTenant({ tenant: 'old', seed: '1', created_at: 0, settings: {} })
  const { countries: _countries, ...product } = record.products[0]?.criteria ?? {}
  const { loan_purposes_excluded: _purposes, ...advertiser } = record.advertisers[0]?.criteria ?? {}
  Object.assign(record.products[0] ?? {}, { criteria: { ...product, min_age: 21 } })
  Object.assign(record.advertisers[0] ?? {}, { criteria: advertiser })
  await storage.addTenant(record)
  const { call } = await openSandbox({ storage })
  const { json: account } = await call('GET', '/_sandbox/v1/tenants/old')
  expect(account.products[0].criteria).toMatchObject({ min_age: 21, countries: ['ES'] })
  expect(account.advertisers[0].criteria).toMatchObject({ loan_purposes_excluded: [] })
})

it("a storage rejects a tenant's transactions after its end, and finishes those already begun", async () => {
  const all = createMemoryStorage()
  const record = await createTenant({ tenant: 'mine', seed: '1', created_at: 0, settings: {} })
  await all.addTenant(record)
  const current = { record, hasEnded: false }
  const { clock, timer } = manualTime()
  const streams = createEventStreams({ clock, timer, show: () => ({}) })
  const mine = decorateStorage(
    { storage: all, metrics: { transaction() {} }, monotonic: () => 0 },
    current,
    { streams, tenant: 'mine', clock },
    undefined,
  )
  const apply = (count: number) => mine.transact(tables => tables.setChain('x', count))
  const begun = apply(1)
  current.hasEnded = true
  await expect(apply(2)).rejects.toThrow('The tenant mine was deleted.')
  await begun
  expect(await all.of('mine').transact(tables => tables.readChain('x'))).toBe(1)
})
