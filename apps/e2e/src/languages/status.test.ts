import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { describe, expect, it } from 'vitest'
import { openReceiver, withStatus } from '../adapters/receiver.ts'
import type { Tenant } from '../adapters/tenant.ts'
import { reportedLead, testOddReports } from './odd-replies.fixture.ts'
import { describePrograms, openJourney, run } from './programs.fixture.ts'

const journey = openJourney()

describe('the SDK', () =>
  testOddReports(async origin => {
    const advertiser = createAdvertiser({ baseUrl: `${origin}/api/v1`, apiKey: 'sandbox_key', maxRetries: 1 })
    return advertiser.reportStatus(reportedLead, { status: 'approved' }, { method: 'POST' }).then(
      ({ outcome }) => outcome === 'reported',
      () => false,
    )
  }))

describePrograms('status.md', ['sh', 'php', 'python', 'java'], program => {
  const reportTo = (origin: string, key: string, ...args: string[]) =>
    run(program, args, { LEAD_BASE_URL: `${origin}/api/v1`, LEAD_ADVERTISER_API_KEY: key })
  const report = (tenant: Tenant, ...args: string[]) => reportTo(journey.adapter().url, tenant.advertiserKey(), ...args)
  const fault = (tenant: Tenant, effect: object) =>
    tenant.control('POST', '/faults', { body: { match: { operation: 'reportStatus' }, effect, times: 1 } })
  const eventsOf = async (tenant: Tenant, lead: string) => (await tenant.lead(lead)).events

  it('reports a status with amount and term, and a repeat does not record a second event', async () => {
    const tenant = await journey.newTenant()
    const lead = await tenant.distributedLead()
    const first = await report(tenant, lead, 'approved', '5000', '24')
    const second = await report(tenant, lead, 'loan_issued')
    expect([first, second]).toEqual([
      { code: 0, printed: expect.stringContaining('"status":"approved"') },
      { code: 0, printed: expect.stringContaining('"status":"loan_issued"') },
    ])
    const metadata = { amount: 5000, term_months: 24 }
    expect(await eventsOf(tenant, lead)).toMatchObject([{ event: 'approved', via: 'body', metadata }])
  })

  it('retries after a server error', async () => {
    const tenant = await journey.newTenant()
    const lead = await tenant.distributedLead()
    await fault(tenant, { status: 503 })
    expect(await report(tenant, lead, 'completed')).toMatchObject({ code: 0 })
    expect(await eventsOf(tenant, lead)).toMatchObject([{ event: 'completed' }])
  })

  it('records an event once if a reply is lost', async () => {
    const tenant = await journey.newTenant()
    const lead = await tenant.distributedLead()
    await fault(tenant, { lost_reply: true })
    expect(await report(tenant, lead, 'registration')).toMatchObject({ code: 0 })
    expect(await eventsOf(tenant, lead)).toMatchObject([{ event: 'registration' }])
    const { requests } = (await tenant.control('GET', '/requests?operation=reportStatus')).json
    expect(requests).toHaveLength(2)
  })

  it("stops after a wrong key, without printing it, and after another advertiser's lead", async () => {
    const tenant = await journey.newTenant()
    const lead = await tenant.distributedLead()
    const key = 'sandbox_adv_wrong'
    const wrong = await reportTo(journey.adapter().url, key, lead, 'approved')
    const unknown = await report(tenant, crypto.randomUUID(), 'approved')
    expect(wrong.code * unknown.code).toBeGreaterThan(0)
    expect(wrong.printed).toContain('401')
    expect(wrong.printed).not.toContain(key)
    expect(unknown.printed).toContain('404')
    expect(await eventsOf(tenant, lead)).toEqual([])
  })

  it('never sends its key to a redirect target', async () => {
    await using elsewhere = await openReceiver()
    await using service = await openReceiver(withStatus(307, { location: elsewhere.url }))
    expect((await reportTo(service.url, 'key', 'x', 'approved')).code).toBeGreaterThan(0)
    expect([service.received.length, elsewhere.received.length]).toEqual([1, 0])
  })

  testOddReports(async origin => (await reportTo(origin, 'key', reportedLead, 'approved')).code === 0)
})
