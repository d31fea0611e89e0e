import { cases, createTarget, factsOfAccount, runCases } from '@lead-distribution/conformance'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { targetThrough } from '../adapters/conformance-target.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { openDeviatingProxy } from './deviating-service.fixture.ts'
import { planted } from './lead-deviations.fixture.ts'

let adapter: Adapter
beforeAll(async () => {
  adapter = await openExpressAdapter()
})
afterAll(() => adapter.close())

/** The ids of the cases that fail where a service deviates so. */
async function failing(deviation: object): Promise<string[]> {
  const { tenant } = await targetThrough(adapter)
  await using proxy = await openDeviatingProxy(adapter.url, tenant.publisherKey, deviation)
  const facts = factsOfAccount({ ...tenant.account, base_url: `${proxy.url}/api/v1` })
  const results = await runCases(cases, createTarget({ facts, patienceMs: 100 }), { concurrency: 4 })
  return results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
}

it('finds nothing where nothing deviates', async () => {
  expect(await failing({})).toEqual([])
}, 60_000)

it.each(planted)(
  'finds $words',
  async ({ deviation, finds, within = /./ }) => {
    const ids = await failing(deviation)
    expect(ids).toEqual(expect.arrayContaining([...finds]))
    expect(ids.filter(id => !within.test(id))).toEqual([])
  },
  60_000,
)
