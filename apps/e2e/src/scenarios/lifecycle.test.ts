import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

const noon = '2026-06-15T12:00:00.000Z'
const day = 86_400
const behindNoon = (seconds: number) => new Date(Date.parse(noon) + seconds * 1000).toISOString()
const loan = [
  { event: 'registration', after: 'PT1M' },
  { event: 'approved', after: 'P2D' },
  { event: 'converted', after: 'P30D' },
]

const advance = async (tenant: Tenant, by: string) =>
  (await tenant.control('POST', '/clock/advance', { body: { by } })).json
const eventsOf = async (tenant: Tenant, lead: string) =>
  (await tenant.lead(lead)).events.map(({ event, via, recorded_at }: Record<string, string>) => [
    event,
    via,
    recorded_at,
  ])
const reports = async (tenant: Tenant) =>
  (await tenant.control('GET', '/requests')).json.requests
    .filter(({ operation }: { operation: string }) => operation !== 'submitLead')
    .reverse()

inMemory('the lifecycle of a lead', adapter => {
  const ready = (settings: object = {}) =>
    createTenant(adapter, { frozen_at: noon, settings: { lifecycle: loan, ...settings } })

  it('is reported through the real endpoints, each event once and exactly on time', async () => {
    const tenant = await ready()
    const lead = await tenant.distributedLead()
    expect(await advance(tenant, 'PT59.999S')).toEqual({ now: behindNoon(59.999), executed: 0, pending: 3 })
    // The report, and the resulting callback.
    expect(await advance(tenant, 'PT0.001S')).toEqual({ now: behindNoon(60), executed: 2, pending: 2 })
    expect(await advance(tenant, 'P40D')).toMatchObject({ executed: 4, pending: 0 })
    expect(await eventsOf(tenant, lead)).toEqual([
      ['registration', 'pixel', behindNoon(60)],
      ['approved', 'pixel', behindNoon(2 * day)],
      ['converted', 'body', behindNoon(30 * day)],
    ])
    const { advertiser_id } = tenant.advertiser()
    expect((await tenant.lead(lead)).events.map((event: { advertiser_id: string }) => event.advertiser_id)).toEqual(
      Array(3).fill(advertiser_id),
    )
    const entry = (operation: string, method: string, seconds: number) => ({
      operation,
      method,
      status: 200,
      lead_id: lead,
      at: behindNoon(seconds),
    })
    expect(await reports(tenant)).toMatchObject([
      entry('reportEvent', 'GET', 60),
      entry('reportEvent', 'GET', 2 * day),
      entry('reportStatus', 'POST', 30 * day),
    ])
    const inbox = await tenant.inbox(0)
    expect(inbox.map(({ event, received_at }) => [event, received_at])).toEqual([
      ['registration', behindNoon(60)],
      ['loan_issued', behindNoon(2 * day)],
      ['converted', behindNoon(30 * day)],
    ])
  })

  it("uses the tenant's method for reports by body", async () => {
    const tenant = await ready({ status_methods: ['PATCH'] })
    const lead = await tenant.distributedLead()
    await advance(tenant, 'P30D')
    expect((await eventsOf(tenant, lead)).at(-1)).toEqual(['converted', 'body', behindNoon(30 * day)])
    expect((await reports(tenant)).at(-1)).toMatchObject({ operation: 'reportStatus', method: 'PATCH', status: 200 })
  })

  it('runs automatically on a running clock', async () => {
    const tenant = await createTenant(adapter, {
      settings: {
        lifecycle: [
          { event: 'registration', after: 'PT0S' },
          { event: 'approved', after: 'PT0.02S' },
        ],
      },
    })
    const lead = await tenant.distributedLead()
    const { json } = await tenant.control('GET', `/callbacks/wait?lead_id=${lead}&event=approved`)
    expect(json).toMatchObject({ state: 'delivered', event: 'loan_issued' })
    expect((await eventsOf(tenant, lead)).map(([event = '']) => event)).toEqual(['registration', 'approved'])
  })

  it('reports an event only once if somebody else reported it before', async () => {
    const tenant = await ready()
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'loan_issued')
    await advance(tenant, 'P40D')
    expect((await eventsOf(tenant, lead)).map(([event = '']) => event)).toEqual([
      'approved',
      'registration',
      'converted',
    ])
    expect(await tenant.inbox(3)).toHaveLength(3)
  })
})
