import { tenantRecord } from '@lead-distribution/simulator/records.fixture'
import { Client } from 'pg'
import { expect, it, vi } from 'vitest'
import { adapters } from '../contract/storage.fixture.ts'
import { withoutIndex } from './query-plans.fixture.ts'

it('process coordination reads by indexes', async () => {
  const storage = (await adapters.postgres?.()) ?? expect.fail('This runs in the project postgres.')
  await storage.addTenant(tenantRecord('t1'))
  const { shared } = storage
  for (const isRead of [false, true, true]) await shared?.readChanges(isRead)
  await shared?.removeOld()
  await shared?.listWaiting()
  await shared?.exclusive('t1', 'clock', () => storage.of('t1').transact(async () => undefined))
  // The statements are checked when the test ends.
  expect(JSON.stringify(vi.mocked(Client.prototype.query).mock.calls)).toContain('from reports')
})

it.each([
  ['select * from leads where data like $1', ['%x'], /^Seq Scan of leads/],
  ['select * from leads where tenant = $1 order by received_at limit 10', ['t1'], /^Seq Scan of leads/],
  ['update tenants set record = $1 where record like $2', ['{}', 'x%'], /^Seq Scan of tenants/],
])('detects a statement without an index: %s', async (text, values, found) => {
  expect(await withoutIndex([{ text, values }])).toContainEqual(expect.stringMatching(found))
})
