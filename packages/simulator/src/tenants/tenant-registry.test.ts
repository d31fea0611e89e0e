import { createTestLeads } from '@lead-distribution/test-leads'
import { describe, expect, it } from 'vitest'
import { openSandbox } from '../sandbox.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { createTenant } from './create-tenant.ts'
import { storageUntil } from './open-tenants.ts'

describe('the tenant of a lead', () => {
  it('is found by the id of the lead, of many tenants, and by no id that none of them gave', async () => {
    const { sandbox, call } = await openSandbox()
    for (let number = 0; number < 40; number++) {
      const { json: account } = await call('POST', '/_sandbox/v1/tenants', { name: `t${number}`, seed: number })
      const headers = { apikey: account.publisher.api_key }
      const { json } = await call('POST', '/api/v1/lead', createTestLeads(account).distributed(), headers)
      expect(await sandbox.tenantOf(json.lead_id)).toBe(`t${number}`)
      // The next id of the tenant, and one of its prefix that it never gives.
      const next = json.lead_id.replace(/^(.{4})0000-0000/, '$10000-0001')
      for (const id of [next, `${json.lead_id.slice(0, -1)}g`, json.lead_id.slice(0, 4), ''])
        expect(await sandbox.tenantOf(id)).toBeUndefined()
    }
  })
})

it('a storage lets nothing of a tenant through after its end, and finishes what was begun', async () => {
  const all = createMemoryStorage()
  await all.addTenant(await createTenant({ tenant: 'mine', seed: '1', created_at: 0, settings: {} }))
  let ended = false
  const mine = storageUntil(all, () => ended).of('mine')
  const apply = (count: number) => mine.transact(tables => tables.setChain('x', count))
  const begun = apply(1)
  ended = true
  await expect(apply(2)).rejects.toThrow('The tenant mine was deleted.')
  await begun
  expect(await all.of('mine').transact(tables => tables.readChain('x'))).toBe(1)
})
