import { describe, expect, it } from 'vitest'
import { scenarioHeader } from '../effects/effects.ts'
import { openTenantClient } from './tenant-client.fixture.ts'

describe('a preview of a change', () => {
  it('shows which leads would be decided differently and how, without changing anything', async () => {
    const { control, done, leads, submit, account } = await openTenantClient()
    const [{ product_id, criteria } = expect.fail('There is no product.')] = account.products
    await submit(leads.distributed)
    const { min, max } = criteria.loan_amount
    const { lead_id } = await submit(leads.distributed({ product_data: { loan_amount: max } }))
    const narrower = { loan_amount: { min, max: max - 1 } }
    const { json } = await control('POST', '/preview', { products: [{ product_id, criteria: narrower }] })
    expect(json).toEqual({
      leads: 2,
      changed: [
        {
          lead_id,
          email: expect.stringContaining('@'),
          received_at: expect.any(String),
          before: expect.objectContaining({ status: 'new' }),
          after: {
            status: 'rejected',
            rejection_reason: 'eligibility_failed',
            hint: expect.stringContaining('loan_amount'),
          },
        },
      ],
    })
    expect((await done('GET', '')).products).toEqual(account.products)
    expect((await done('GET', `/leads/${lead_id}`)).status).toBe('new')
  })

  it('shows leads that no advertiser would accept anymore, and leads that an interpretation would refuse', async () => {
    const { done, leads, submit, account } = await openTenantClient()
    const { customer, ...lead } = leads.distributed()
    const { gender: _, ...personal_data } = customer.personal_data
    await submit({ ...lead, customer: { ...customer, personal_data } })
    const remove = account.advertisers.map(({ advertiser_id }: { advertiser_id: string }) => advertiser_id)
    expect((await done('POST', '/preview', { remove })).changed).toMatchObject([{ after: { status: 'new' } }])
    const settings = { gender: 'required' }
    expect((await done('POST', '/preview', { settings })).changed).toMatchObject([
      { after: { error: 'validation_error' } },
    ])
  })

  it('skips leads with a forced outcome, and refuses an invalid change', async () => {
    const { control, submit, leads } = await openTenantClient()
    await submit(leads.distributed, undefined, { [scenarioHeader]: 'fraud_suspected' })
    expect((await control('POST', '/preview', { remove: [] })).json).toEqual({ leads: 0, changed: [] })
    expect((await control('POST', '/preview', { products: [{ product_id: crypto.randomUUID() }] })).status).toBe(400)
  })
})
