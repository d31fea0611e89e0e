import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

const noon = '2026-06-15T12:00:00.000Z'
const behindNoon = (seconds: number) => new Date(Date.parse(noon) + seconds * 1000).toISOString()

const clock = async (tenant: Tenant) => (await tenant.control('GET', '/clock')).json
const change = (tenant: Tenant, body: object) => tenant.control('POST', '/clock', { body })
const advance = (tenant: Tenant, by: unknown) => tenant.control('POST', '/clock/advance', { body: { by } })
const fields = ({ json }: { json: { details?: { field: string }[] } }) => json.details?.map(({ field }) => field)

inMemory('the clock of a tenant', adapter => {
  it('is frozen where the tenant was made so, goes on with resume, and is separate for each tenant', async () => {
    const [tenant, other] = [await createTenant(adapter, { frozen_at: noon }), await createTenant(adapter)]
    expect(await clock(tenant)).toEqual({ mode: 'frozen', now: noon })
    expect((await change(tenant, { set: behindNoon(60) })).json).toEqual({ mode: 'frozen', now: behindNoon(60) })
    expect((await change(tenant, { resume: true })).json.mode).toBe('running')
    expect(Date.parse((await clock(tenant)).now)).toBeGreaterThanOrEqual(Date.parse(behindNoon(60)))
    expect(Date.parse((await clock(other)).now)).toBeGreaterThan(Date.now() - 60_000)
  })

  it('is set in any zone, and to the millisecond', async () => {
    const tenant = await createTenant(adapter, { frozen_at: noon })
    expect((await change(tenant, { set: '2026-06-15t14:00:00.0019+02:00' })).json.now).toBe('2026-06-15T12:00:00.001Z')
  })

  it('gives received_at while it is frozen, and the duplicate window to the millisecond', async () => {
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

  it('makes a customer old enough on the birthday', async () => {
    const tenant = await createTenant(adapter, { frozen_at: '2026-06-14T23:59:59.999Z' })
    const { min_age } = tenant.product().criteria
    const born = { 'customer.personal_data.birthday': `${2026 - min_age}-06-15` }
    expect((await tenant.submit(born)).json.rejection_reason).toBe('age_restriction')
    await advance(tenant, 'PT0.001S')
    expect((await tenant.submit(born)).json.status).toBe('distributed')
  })

  it('lets a first try be due at once while it is frozen, and the next ones wait', async () => {
    const tenant = await createTenant(adapter, { frozen_at: noon })
    await tenant.control('PATCH', '/inbox', { body: { status: 503, times: 2 } })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'approved')
    await expect
      .poll(async () => (await tenant.lead(lead)).callbacks)
      .toMatchObject([{ state: 'pending', attempts: [{ at: noon, status: 503 }], next_attempt_at: behindNoon(5) }])
    expect((await advance(tenant, 'PT4.999S')).json).toEqual({ now: behindNoon(4.999), executed: 0, pending: 1 })
    expect((await advance(tenant, 'PT0.001S')).json).toEqual({ now: behindNoon(5), executed: 1, pending: 1 })
    expect((await advance(tenant, 'PT30S')).json).toEqual({ now: behindNoon(35), executed: 1, pending: 0 })
  })

  it('advances through all tries of several callbacks, each at its very time', async () => {
    const tenant = await createTenant(adapter, {
      frozen_at: noon,
      settings: { callback_retries: ['PT5S', 'PT30S', 'PT5M'] },
    })
    await tenant.control('PATCH', '/inbox', { body: { status: 500 } })
    const leads = [await tenant.distributedLead(), await tenant.distributedLead()]
    const [first = '', second = ''] = leads
    await tenant.pixel(first, 'approved')
    await advance(tenant, 'PT1S')
    await tenant.pixel(second, 'approved')
    await advance(tenant, 'PT0S')
    expect((await advance(tenant, 'P1D')).json).toEqual({ now: behindNoon(86_401), executed: 6, pending: 0 })
    const times = async (lead: string) => {
      const [callback] = (await tenant.lead(lead)).callbacks
      expect(callback.state).toBe('failed')
      return callback.attempts.map(({ at }: { at: string }) => (Date.parse(at) - Date.parse(noon)) / 1000)
    }
    expect([await times(first), await times(second)]).toEqual([
      [0, 5, 35, 335],
      [1, 6, 36, 336],
    ])
    const inbox = await tenant.inbox(0)
    const received = inbox.map(({ received_at }) => received_at)
    expect(received).toEqual(received.toSorted())
  })

  it('advances of two tenants at once, each for itself', async () => {
    const tenants = await Promise.all([1, 2].map(() => createTenant(adapter, { frozen_at: noon })))
    for (const tenant of tenants) {
      await tenant.control('PATCH', '/inbox', { body: { status: 500, times: 2 } })
      await tenant.pixel(await tenant.distributedLead(), 'approved')
      await advance(tenant, 'PT0S')
    }
    const replies = await Promise.all(tenants.map((tenant, index) => advance(tenant, `PT${35 + index}S`)))
    expect(replies.map(({ json }) => json)).toEqual([
      { now: behindNoon(35), executed: 2, pending: 0 },
      { now: behindNoon(36), executed: 2, pending: 0 },
    ])
  })

  it('advances while calls come in, none of which is lost', async () => {
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

  it('refuses an advance past the latest time, and shows what waits there', async () => {
    const tenant = await createTenant(adapter, { frozen_at: noon, settings: { callback_retries: ['P3650D'] } })
    const latest = '9989-12-31T23:59:59.999Z'
    expect((await change(tenant, { set: latest })).json.now).toBe(latest)
    const reply = await advance(tenant, 'PT0.001S')
    expect([reply.status, fields(reply)]).toEqual([400, ['by']])
    await tenant.control('PATCH', '/inbox', { body: { status: 500 } })
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'approved')
    await advance(tenant, 'PT0S')
    expect((await tenant.lead(lead)).callbacks[0].next_attempt_at).toMatch(/^9999-/)
  })
})
