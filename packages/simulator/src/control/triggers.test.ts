import { describe, expect, it } from 'vitest'
import { settled } from '../ports.fixture.ts'
import { openTenantClient, type Shown } from './tenant-client.fixture.ts'

const unknownId = '00000000-0000-4000-8000-000000000000'

/** A tenant with a lead, the advertiser that has it, and one that does not. */
async function openWithHolder(settings: object = {}) {
  const calls = await openTenantClient({ name: 'qa', seed: 'triggers', settings })
  const { lead_id } = await calls.submit(calls.leads.distributed)
  const { deliveries } = await calls.get(`/leads/${lead_id}`)
  const holder: string = deliveries.find((each: Shown) => each.decision === 'accepted').advertiser_id
  const other = calls.account.advertisers.find(({ advertiser_id }) => advertiser_id !== holder)?.advertiser_id
  const triggered = async (body: object, id = lead_id) =>
    (await calls.done('POST', `/leads/${id}/trigger`, body)).replies.map(({ status, body: reply }: Shown) => [
      status,
      reply.status ?? reply.error,
    ])
  return { ...calls, lead_id, holder, other, triggered }
}

describe('the simulated advertiser', () => {
  it('reports by the pixel if the event allows it, otherwise by the body, and by either on demand', async () => {
    const { lead_id, triggered, get } = await openWithHolder()
    expect(await triggered({ event: 'loan_issued' }, lead_id.toUpperCase())).toEqual([[200, 'received']])
    expect(await triggered({ event: 'converted' })).toEqual([[200, 'converted']])
    expect(await triggered({ event: 'completed', via: 'body' })).toEqual([[200, 'completed']])
    expect(await triggered({ event: 'converted', via: 'pixel' })).toEqual([[400, 'validation_error']])
    await settled()
    const { events, callbacks } = await get(`/leads/${lead_id}`)
    expect(events.map((each: Shown) => [each.event, each.reported_as, each.via])).toEqual([
      ['approved', 'loan_issued', 'pixel'],
      ['converted', 'converted', 'body'],
      ['completed', 'completed', 'body'],
    ])
    expect(callbacks.map(({ event }: Shown) => event)).toEqual(['loan_issued', 'converted', 'loan_paid'])
  })

  it('reports with the first method in the settings', async () => {
    const { triggered, get } = await openWithHolder({ status_methods: ['PATCH'] })
    expect(await triggered({ event: 'converted' })).toEqual([[200, 'converted']])
    expect((await get('/requests?limit=1')).requests[0]).toMatchObject({ operation: 'reportStatus', method: 'PATCH' })
  })

  it('repeats its report as often as requested', async () => {
    const { triggered } = await openWithHolder()
    expect(await triggered({ event: 'approved', repeat: 3 })).toEqual([
      [200, 'received'],
      [200, 'ignored'],
      [200, 'ignored'],
    ])
  })

  it('is refused if it does not have the lead, or if the lead does not exist', async () => {
    const { triggered, holder, other, refused, control, lead_id, submit, leads } = await openWithHolder()
    expect(await triggered({ event: 'approved', advertiser_id: other })).toEqual([[401, 'unauthorized']])
    expect(await triggered({ event: 'approved', advertiser_id: other, via: 'body' })).toEqual([[404, 'not_found']])
    expect(await triggered({ event: 'approved', advertiser_id: holder.toUpperCase() })).toEqual([[200, 'received']])
    expect(await refused('POST', `/leads/${lead_id}/trigger`, { event: 'approved', advertiser_id: unknownId })).toEqual(
      ['advertiser_id'],
    )
    expect((await control('POST', `/leads/${unknownId}/trigger`, { event: 'approved' })).status).toBe(404)
    const untaken = await submit(leads.new)
    const { json } = await control('POST', `/leads/${untaken.lead_id}/trigger`, { event: 'approved' })
    expect((json as Shown).error).toBe('not_distributed')
    for (const body of [{}, { event: '' }, { event: 'approved', repeat: 0 }, { event: 'approved', repeat: 101 }])
      expect((await control('POST', `/leads/${lead_id}/trigger`, body)).status).toBe(400)
  })

  it('shows a response that a fault has broken', async () => {
    const { done, lead_id } = await openWithHolder()
    for (const [effect, broken] of [
      [{ reset: true }, 'cut'],
      [{ timeout: true }, 'withheld'],
    ]) {
      await done('POST', '/faults', { match: { operation: 'reportEvent' }, effect, times: 1 })
      const { replies } = await done('POST', `/leads/${lead_id}/trigger`, { event: 'approved' })
      expect(replies).toEqual([{ status: 0, body: '', broken }])
    }
  })

  it('gives each reason for declining a lead', async () => {
    const { account, done, submit, leads, get } = await openTenantClient()
    const criteria = {
      loan_amount: { min: 6_000, max: 7_000 },
      loan_term_months: { min: 30, max: 40 },
      loan_purposes_excluded: ['wedding'],
      minimum_monthly_income: 2_000,
    }
    const advertisers = account.advertisers.map(({ advertiser_id }) => ({ advertiser_id, criteria }))
    await done('PATCH', '', { advertisers })
    const reasonsOf = async (product_data: object, profile?: object) => {
      const lead = leads.distributed({ product_data, ...(profile && { customer: { profile } }) } as never)
      const { lead_id } = await submit(lead)
      return (await get(`/leads/${lead_id}`)).deliveries.map(({ decision, reasons }: Shown) => [decision, reasons])
    }
    const wrong = { loan_amount: 5_999, loan_term_months: 41, loan_purpose: 'wedding' }
    const reasons = [
      'lends amounts from 6000 to 7000 euros, not 5999',
      'lends for terms from 30 to 40 months, not 41',
      'does not lend for wedding',
      'lends to incomes of at least 2000 euros a month, not 1999',
    ]
    const poor = { occupation: 'other', monthly_income: 1_999 }
    expect(await reasonsOf(wrong, poor)).toEqual(advertisers.map(() => ['declined', reasons]))
    const right = { loan_amount: 6_000, loan_term_months: 40, loan_purpose: 'leisure' }
    expect((await reasonsOf(right, { ...poor, monthly_income: 2_000 }))[0]).toEqual(['accepted', []])
  })
})

describe('a change of the account', () => {
  it('names an invalid back end by its position', async () => {
    const { account, refused, done, get } = await openTenantClient()
    const [first, second] = account.advertisers.map(({ advertiser_id }) => ({ advertiser_id }))
    const backend_url = 'http://127.0.0.1:9000/leads'
    expect(
      await refused('PATCH', '', {
        advertisers: [
          { ...first, backend_url },
          { ...second, backend_url: 'https://example.com/' },
        ],
      }),
    ).toEqual(['advertisers.1.backend_url'])
    expect((await get('')).advertisers[0]).not.toHaveProperty('backend_url')
    await done('PATCH', '', { advertisers: [{ ...first, backend_url }] })
    expect((await get('')).advertisers[0]).toMatchObject({ backend_url })
    await done('PATCH', '', { advertisers: [{ ...first, backend_url: null }] })
    expect((await get('')).advertisers[0]).not.toHaveProperty('backend_url')
  })

  it('that would add more than a hundred products is refused as a whole', async () => {
    const { control, get } = await openTenantClient()
    const products = Array.from({ length: 101 }, (_, nth) => ({
      product_id: `50000000-0000-4000-8000-${String(nth).padStart(12, '0')}`,
      name: `Product ${nth}`,
    }))
    const before = (await get('')).products
    const halves = [products.slice(0, 60), products.slice(60)]
    expect((await control('PATCH', '', { products: halves[0] })).status).toBe(200)
    const { status, json } = await control('PATCH', '', { products: halves[1] })
    expect([status, (json as Shown).details]).toEqual([
      400,
      [{ field: 'products', issue: 'must not be more than 100 in total' }],
    ])
    expect((await get('')).products).toHaveLength(before.length + 60)
  })
})
