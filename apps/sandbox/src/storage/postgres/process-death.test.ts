import { tenantRecord } from '@lead-distribution/simulator/records.fixture'
import { expect, it } from 'vitest'
import { acknowledgedBeforeKill } from '../contract/kill.fixture.ts'
import { closing } from '../contract/storage.fixture.ts'
import { emptyDatabase } from './database.fixture.ts'
import { openPostgresStorage } from './postgres-storage.ts'

it('keeps every acknowledged lead with its claim when two processes are killed, one after the other', async () => {
  const url = await emptyDatabase()
  const storage = closing(await openPostgresStorage(url))
  await storage.addTenant(tenantRecord('t1'))
  const first = await acknowledgedBeforeKill('commit', url, 300)
  expect(first.length).toBeGreaterThanOrEqual(300)
  await storage.clearTenant(tenantRecord('t1'))
  const acknowledged = await acknowledgedBeforeKill('commit', url, 100)
  await storage.of('t1').transact(async tables => {
    for (const id of acknowledged) {
      const [lead, customer] = await Promise.all([tables.findLead(id), tables.findCustomer('p1', `${id}@example.com`)])
      expect([lead?.lead_id, customer?.lead_id]).toEqual([id, id])
    }
    const all = await tables.listLeads({ limit: 9_999 })
    // One commit may be done without its response having been printed: 16 leads at most.
    expect(all.length - acknowledged.length).toBeLessThanOrEqual(16)
  })
})
