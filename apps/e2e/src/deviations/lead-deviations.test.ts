import { cases, createTarget, factsOfAccount, runCases } from '@lead-distribution/conformance'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { fetchThrough, targetThrough } from '../adapters/conformance-target.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { deviatingFetch } from './deviating-service.fixture.ts'
import { leadDeviations } from './lead-deviations.fixture.ts'

let adapter: Adapter
beforeAll(async () => {
  adapter = await openMemoryAdapter()
})
afterAll(() => adapter.close())

/** The ids of the cases that fail where a service deviates so. */
async function failing(deviation: object): Promise<string[]> {
  const { tenant } = await targetThrough(adapter)
  const fetch = deviatingFetch(fetchThrough(adapter), tenant.publisherKey, deviation)
  const target = createTarget({ facts: factsOfAccount(tenant.account), fetch, patienceMs: 100 })
  const results = await runCases(cases, target, { concurrency: 4 })
  return results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
}

it('finds nothing where nothing deviates', async () => {
  expect(await failing({})).toEqual([])
})

it.each(leadDeviations)('finds $name', async ({ deviation, finds, within = /./ }) => {
  const ids = await failing(deviation)
  expect(ids).toEqual(expect.arrayContaining([...finds]))
  expect(ids.filter(id => !within.test(id))).toEqual([])
})
