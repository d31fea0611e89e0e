import { knownStatuses } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { atEveryDoor } from '../doors/every-door.ts'
import { createTenant } from '../doors/tenant.ts'

atEveryDoor('status by body', door => {
  it.each(['POST', 'PATCH'])(
    'records a status by %s and echoes it [4.2/method_and_path] [4.2/status]',
    async method => {
      const tenant = await createTenant(door)
      const lead = await tenant.distributedLead()
      const metadata = { amount: 4999.5, term_months: 24 }
      const { advertiser_id } = tenant.advertiser()
      const { status, json } = await tenant.report(lead, { status: 'converted', advertiser_id, metadata }, { method })
      expect([status, json]).toEqual([200, { lead_id: lead, status: 'converted' }])
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
    },
  )

  it.each(knownStatuses)('takes the status %s and tells the publisher [4.2/status] [6.1/rule-1]', async status => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    expect((await tenant.report(lead, { status })).json).toEqual({ lead_id: lead, status })
    expect((await tenant.lead(lead)).callbacks).toHaveLength(1)
  })

  it('asks for the status alone [4.2/status]', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    expect((await tenant.report(lead, { status: 'registration' })).status).toBe(200)
    expect((await tenant.report(lead, { status: 'approved', metadata: {} })).status).toBe(200)
    expect((await tenant.report(lead, {})).json.details).toEqual([{ field: 'status', issue: 'is required' }])
  })

  it.each([
    ['a status that is not known', { status: 'funded' }, 'status'],
    ['a status that is empty', { status: '' }, 'status'],
    ['a status that is no string', { status: 1 }, 'status'],
    ['an advertiser_id that is no UUID', { status: 'approved', advertiser_id: 'x' }, 'advertiser_id'],
    ['metadata that is no object', { status: 'approved', metadata: [] }, 'metadata'],
    ['an amount that is a text', { status: 'approved', metadata: { amount: '1' } }, 'metadata.amount'],
    ['a broken month', { status: 'approved', metadata: { term_months: 1.5 } }, 'metadata.term_months'],
    ['a body that is an array', [], 'body'],
  ])('refuses %s with 400 [4.2/errors]', async (_title, body, field) => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    const { status, json } = await tenant.report(lead, body)
    expect([status, json.error]).toEqual([400, 'validation_error'])
    expect(json.details[0].field).toBe(field)
    expect((await tenant.lead(lead)).events).toEqual([])
  })

  it('refuses an advertiser_id that is not the own one of the key with 400 at that field [4.2/advertiser_id]', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    const { status, json } = await tenant.report(lead, {
      status: 'approved',
      advertiser_id: tenant.advertiser(1).advertiser_id,
    })
    expect([status, json.error]).toEqual([400, 'validation_error'])
    expect(json.details).toEqual([{ field: 'advertiser_id', issue: expect.any(String) }])
  })

  it('takes ids in capital letters for the same ids [4.2/lead_id]', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    const advertiser_id = tenant.advertiser().advertiser_id.toUpperCase()
    const { status, json } = await tenant.report(lead.toUpperCase(), { status: 'approved', advertiser_id })
    expect([status, json]).toEqual([200, { lead_id: lead, status: 'approved' }])
  })

  describe('a lead that is not the advertiser’s', () => {
    it('is the same 404, be it unknown, of another advertiser, or of none [4.2/lead_id]', async () => {
      const tenant = await createTenant(door)
      const distributed = await tenant.distributedLead()
      const fresh = (await tenant.submit({ 'product_data.loan_amount': 60_000 })).json.lead_id
      const rejected = (await tenant.submit({ 'customer.address': { country: 'PT' } })).json.lead_id
      const replies = await Promise.all([
        tenant.report('40000000-0000-4000-8000-00000000ffff', { status: 'approved' }),
        tenant.report(distributed, { status: 'approved' }, { key: tenant.advertiserKey(1) }),
        tenant.report(fresh, { status: 'approved' }),
        tenant.report(rejected, { status: 'approved' }),
      ])
      for (const { status, text } of replies) expect([status, text]).toEqual([404, replies[0]?.text])
      expect(replies[0]?.json).toEqual({ error: 'not_found', message: expect.any(String) })
    })

    it('is judged after the shape [4.2/errors]', async () => {
      const tenant = await createTenant(door)
      expect((await tenant.report('40000000-0000-4000-8000-00000000ffff', { status: 'nonsense' })).status).toBe(400)
      expect((await tenant.report('no-uuid', { status: 'approved' })).json.details).toMatchObject([
        { field: 'lead_id' },
      ])
    })
  })

  it('answers the repeat alike, and tells the publisher once [4.2/reply.status] [6.2/rule-1]', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    const replies = [
      await tenant.report(lead, { status: 'loan_issued' }),
      await tenant.report(lead, { status: 'loan_issued' }),
      await tenant.report(lead, { status: 'loan_issued' }, { method: 'PATCH' }),
    ]
    for (const { status, json } of replies)
      expect([status, json]).toEqual([200, { lead_id: lead, status: 'loan_issued' }])
    const { events, callbacks } = await tenant.lead(lead)
    expect([events.length, callbacks.length]).toEqual([1, 1])
  })

  it('takes both names of an event for one, and echoes each as it was reported [6.1/rule-1]', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    expect((await tenant.report(lead, { status: 'loan_paid' })).json.status).toBe('loan_paid')
    expect((await tenant.report(lead, { status: 'completed' })).json.status).toBe('completed')
    const { events } = await tenant.lead(lead)
    expect(events).toMatchObject([{ event: 'completed', reported_as: 'loan_paid' }])
  })

  it('takes converted for an event of its own [4.2/status]', async () => {
    const tenant = await createTenant(door)
    const lead = await tenant.distributedLead()
    for (const status of ['converted', 'approved', 'converted']) await tenant.report(lead, { status })
    const { events } = await tenant.lead(lead)
    expect(events.map(({ event }: { event: string }) => event)).toEqual(['converted', 'approved'])
  })

  it('keeps the events of each advertiser apart', async () => {
    const tenant = await createTenant(door, { settings: { distribution: 'all_accepting' } })
    const lead = await tenant.distributedLead()
    for (const index of [0, 1, 0])
      await tenant.report(lead, { status: 'approved' }, { key: tenant.advertiserKey(index) })
    const { events, callbacks } = await tenant.lead(lead)
    expect([events.length, callbacks.length]).toEqual([2, 2])
  })
})
