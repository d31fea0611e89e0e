import { expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

const path = '/_sandbox/metrics'

/** The value of each series, by its name and labels. */
async function readMetrics(adapter: Adapter): Promise<Map<string, number>> {
  const { text } = await adapter.request('GET', path)
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

inMemory('the metrics', adapter => {
  it('are in the text format of Prometheus', async () => {
    const { status, headers, text } = await adapter.request('GET', path)
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(text).toMatch(/^(#( HELP| TYPE) [a-z_]+ .+\n|[a-z_]+(\{([a-z]+="[^"\n]*",?)+\})? [0-9.e+]+\n)+$/)
  })

  it('count requests, leads and tries of callbacks', async () => {
    const before = await readMetrics(adapter)
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    await tenant.submit({ 'customer.profile': { occupation: 'other', monthly_income: 599 } })
    await tenant.submitBody({})
    await tenant.pixel(lead, 'approved')
    await tenant.settledCallbacks(lead)
    const after = await readMetrics(adapter)
    const more = (series: string) => (after.get(series) ?? 0) - (before.get(series) ?? 0)
    expect({
      taken: more('lead_sandbox_requests_total{operation="submitLead",status="200"}'),
      wrong: more('lead_sandbox_requests_total{operation="submitLead",status="400"}'),
      reported: more('lead_sandbox_requests_total{operation="reportEvent",status="200"}'),
      distributed: more('lead_sandbox_leads_total{status="distributed"}'),
      rejected: more('lead_sandbox_leads_total{status="rejected"}'),
      delivered: more('lead_sandbox_callback_tries_total{outcome="delivered"}'),
      tenants: more('lead_sandbox_tenants'),
    }).toEqual({
      taken: 2,
      wrong: 1,
      reported: 1,
      distributed: 1,
      rejected: 1,
      delivered: 1,
      tenants: 1,
    })
  })

  it('name no tenant, no key and nothing of a person', async () => {
    const tenant = await createTenant(adapter)
    await tenant.submit({}, 'ana.metrics@example.com')
    await tenant.submitBody({}, { apikey: 'sandbox_pub_unknown' })
    await adapter.request('GET', '/api/v1/ana.metrics@example.com')
    const { text } = await adapter.request('GET', path)
    for (const secret of [tenant.account.tenant, tenant.publisherKey, 'sandbox_pub_unknown', 'ana.metrics'])
      expect(text).not.toContain(secret)
  })

  it('are refused where the control plane is', async () => {
    const { status, json } = await adapter.request('GET', path, { headers: { host: 'evil.example' } })
    expect([status, json.error]).toEqual([403, 'forbidden'])
  })
})
