import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { openReceiver } from '../adapters/receiver.ts'
import { createTenant, type Tenant, tenantsPath } from '../adapters/tenant.ts'
import { fileOf, importFile } from './snapshot-file.fixture.ts'

const noon = '2026-06-15T12:00:00.000Z'
const behindNoon = (seconds: number) => new Date(Date.parse(noon) + seconds * 1000).toISOString()

const advance = (tenant: Tenant, by: unknown) => tenant.control('POST', '/clock/advance', { body: { by } })

inMemory('the clock of a tenant', adapter => {
  it('sets received_at while frozen, and the duplicate window to the millisecond', async () => {
    const tenant = await createTenant(adapter, { frozen_at: noon })
    const poor = { 'customer.profile': { occupation: 'other', monthly_income: 0 } }
    const reason = async (changes: object) => (await tenant.submit(changes as never, 'ana@example.com')).json
    const { lead_id } = await reason(poor)
    expect((await tenant.lead(lead_id)).received_at).toBe(noon)
    await advance(tenant, 'PT59.999S')
    expect((await reason({})).rejection_reason).toBe('duplicate_submission')
    await advance(tenant, 'PT0.001S')
    expect((await reason({})).status).toBe('distributed')
  })

  it.each([
    ['2026-12-31T23:59:60Z', '2027-01-01T00:00:00.000Z'],
    ['2027-01-01T00:59:60.5+01:00', '2027-01-01T00:00:00.500Z'],
  ])('accepts the leap second %s wherever a time is accepted', async (time, now) => {
    const tenant = await createTenant(adapter, { frozen_at: time })
    expect((await tenant.control('GET', '/clock')).json).toEqual({ mode: 'frozen', now })
    expect((await tenant.control('POST', '/clock', { body: { set: time } })).status).toBe(200)
    await tenant.distributedLead()
    const found = async (query: string) => (await tenant.control('GET', `/leads?${query}`)).json.leads.length
    const sent = encodeURIComponent(time)
    expect([await found(`from=${sent}`), await found(`to=${sent}`)]).toEqual([1, 0])
    expect((await tenant.control('POST', '/callbacks/recover', { body: { since: time } })).status).toBe(200)
    const file = { ...(await fileOf(tenant)), saved_at: '2016-12-31T23:59:60Z' }
    expect((await importFile(tenant, file)).json).not.toHaveProperty('details')
  })

  it('refuses a second 60 at any other minute', async () => {
    const tenant = await createTenant(adapter)
    for (const time of ['2027-05-17T12:34:60Z', '2027-12-31T23:59:60+01:00', '2027-12-31T23:59:61Z']) {
      const sent = encodeURIComponent(time)
      const statuses = [
        await adapter.request('POST', tenantsPath, { body: { frozen_at: time } }),
        await tenant.control('POST', '/clock', { body: { set: time } }),
        await tenant.control('GET', `/leads?from=${sent}`),
        await tenant.control('POST', '/callbacks/recover', { body: { since: time } }),
      ].map(({ status }) => status)
      expect([time, ...statuses]).toEqual([time, 400, 400, 400, 400])
    }
  })

  it('advances during requests without losing any', async () => {
    const tenant = await createTenant(adapter, { frozen_at: noon })
    const calls = Array.from({ length: 20 }, async () => {
      const lead = await tenant.distributedLead()
      await tenant.pixel(lead, 'approved')
      return lead
    })
    const advances = [advance(tenant, 'PT1H'), advance(tenant, 'PT1H')]
    const leads = await Promise.all(calls)
    for (const { status } of await Promise.all(advances)) expect(status).toBe(200)
    expect((await advance(tenant, 'PT0S')).json).toMatchObject({ now: behindNoon(7200), pending: 0 })
    for (const lead of leads) expect((await tenant.lead(lead)).callbacks).toMatchObject([{ state: 'delivered' }])
    expect(await tenant.inbox(20)).toHaveLength(20)
  })
})

it('ends an advance with 503 if the sandbox closes, and logs no error', async () => {
  const errors: unknown[] = []
  const closing = await openMemoryAdapter({ onError: error => errors.push(error) })
  await using receiver = await openReceiver(() => undefined)
  const tenant = await createTenant(closing, { callback_url: receiver.url, settings: { callback_timeout: 'PT1S' } })
  await tenant.report(await tenant.distributedLead(), { status: 'approved' })
  await expect.poll(() => receiver.received).toHaveLength(1)
  const advancing = tenant.control('POST', '/clock/advance', { body: { by: 'PT1M' } })
  await closing.close()
  expect([(await advancing).status, errors]).toEqual([503, []])
})
