import { inspect } from 'node:util'
import { expect, vi } from 'vitest'
import type { Tenant } from '../adapters/tenant.ts'
import { advertiserNames } from './advertiser-sdk.fixture.ts'
import { runAsserting, testBlocks } from './run-blocks.fixture.ts'

testBlocks({
  paths: ['packages/advertiser-sdk/README.md'],
  namesFile: 'advertiser-sdk.fixture.ts',
  namesFor: advertiserNames,
  blocks: {
    install: async ({ code }) => expect(code).toBe('npm install @lead-distribution/advertiser-sdk'),

    'ten-lines': async ({ run, names, tenant }) => {
      await run()
      expect(await eventsOf(tenant, names.lead_id)).toEqual(['approved'])
      const calls = (await requestsOf(tenant)).map(({ operation, outcome }) => `${operation} ${outcome}`)
      expect(calls).toEqual(['reportStatus received', 'reportEvent ignored'])
    },

    'the-outcomes': async ({ run, names }) => {
      const { settle } = await run()
      const { advertiser, lead_id, database } = names
      const url = advertiser.parsePostbackUrl(names.postbackUrlOfTheLead)
      const results = [
        await advertiser.fire(url, { event: 'registration' }),
        await advertiser.fire(url, { event: 'registration' }),
        await advertiser.reportStatus(lead_id, { status: 'approved' }),
      ]
      expect(results.map(({ outcome }) => outcome)).toEqual(['received', 'ignored', 'reported'])
      for (const result of results) await settle(result)
      expect(vi.mocked(database.markReported).mock.calls).toEqual([[lead_id], [lead_id], [lead_id]])
    },

    'names-and-methods': async ({ run, names, tenant }) => {
      const { result } = await run()
      expect(result).toMatchObject({ outcome: 'reported', status: 'loan_issued' })
      expect((await requestsOf(tenant)).map(({ method }) => method)).toEqual(['PATCH'])
      expect(await eventsOf(tenant, names.lead_id)).toEqual(['approved'])
    },

    'lost-reply': async ({ run, names, tenant }) => {
      const { report } = await run()
      await addFault(tenant, 'reportStatus', { lost_reply: true })
      await report(names.lead_id)
      expect(names.database.reportLater).toHaveBeenCalledExactlyOnceWith(names.lead_id)
      await report(names.lead_id)
      expect(names.database.markReported).toHaveBeenCalledExactlyOnceWith(names.lead_id)
      expect(await eventsOf(tenant, names.lead_id)).toEqual(['approved'])
    },

    'postback-url': async ({ run, names }) => {
      await run()
      const { lead_id, logger, database, postbackUrlOfTheLead } = names
      expect(database.savePostbackUrl).toHaveBeenCalledExactlyOnceWith(lead_id, postbackUrlOfTheLead)
      const [logged] = vi.mocked(logger.info).mock.calls
      expect(inspect(logged)).toContain('PostbackUrl(token redacted)')
      expect(JSON.stringify(logged)).toContain('PostbackUrl(token redacted)')
    },

    'in-process': async block => {
      await runAsserting(block, 4)
      expect(await requestsOf(block.tenant)).toEqual([])
    },
  },
})

/** The advertiser's requests in the service's journal, oldest first. */
async function requestsOf(tenant: Tenant): Promise<Record<'operation' | 'method' | 'outcome', string>[]> {
  const { requests } = (await tenant.control('GET', '/requests')).json
  return requests.filter(({ operation }: { operation: string }) => operation !== 'submitLead').reverse()
}

/** The events that the service recorded for a lead. */
async function eventsOf(tenant: Tenant, lead: string): Promise<string[]> {
  return (await tenant.lead(lead)).events.map(({ event }: { event: string }) => event)
}

/** Makes an operation's next call fail. */
async function addFault(tenant: Tenant, operation: string, effect: object) {
  const body = { match: { operation }, effect, times: 1 }
  expect(await tenant.control('POST', '/faults', { body })).toMatchObject({ status: 201 })
}
