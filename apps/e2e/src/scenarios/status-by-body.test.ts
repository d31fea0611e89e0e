import { expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { createTenant } from '../adapters/tenant.ts'

inMemory('status by body', adapter => {
  it.each(['POST', 'PATCH'])('keeps what a status by %s says [4.2/method_and_path] [4.2/metadata]', async method => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    const metadata = { amount: 4999.5, term_months: 24 }
    const { advertiser_id } = tenant.advertiser()
    await tenant.report(lead, { status: 'converted', advertiser_id, metadata }, { method })
    const { events } = await tenant.lead(lead)
    expect(events).toEqual([
      {
        event: 'converted',
        reported_as: 'converted',
        via: 'body',
        advertiser_id,
        metadata,
        recorded_at: expect.any(String),
      },
    ])
  })

  it('takes converted for an event of its own [4.2/status]', async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    for (const status of ['converted', 'approved', 'converted']) await tenant.report(lead, { status })
    const { events } = await tenant.lead(lead)
    expect(events.map(({ event }: { event: string }) => event)).toEqual(['converted', 'approved'])
  })

  it('records nothing that it refuses [4.2/errors]', async () => {
    const tenant = await createTenant(adapter)
    const lead = await tenant.distributedLead()
    const advertiser_id = tenant.advertiser(1).advertiser_id
    for (const body of [
      { status: 'funded' },
      { status: 'approved', metadata: [] },
      { status: 'approved', advertiser_id },
    ])
      expect((await tenant.report(lead, body)).status).toBe(400)
    expect((await tenant.lead(lead)).events).toEqual([])
  })

  it('keeps the events of each advertiser apart', async () => {
    const tenant = await createTenant(adapter, { settings: { distribution: 'all_accepting' } })
    const lead = await tenant.distributedLead()
    for (const index of [0, 1, 0])
      await tenant.report(lead, { status: 'approved' }, { key: tenant.advertiserKey(index) })
    const { events, callbacks } = await tenant.lead(lead)
    expect([events.length, callbacks.length]).toEqual([2, 2])
  })
})
