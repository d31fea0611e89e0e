import { describe, expect, it } from 'vitest'
import { scenarioHeader } from '../effects/effects.ts'
import { openTenantClient } from './tenant-client.fixture.ts'

describe('a preview of a change', () => {
  it('says which leads would be decided differently, and how, and changes nothing', async () => {
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

  it('says where no advertiser would take a lead any more, and where an interpretation would refuse it', async () => {
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

  it('leaves out what a scenario decided, and refuses a change that is not possible', async () => {
    const { control, submit, leads } = await openTenantClient()
    await submit(leads.distributed, undefined, { [scenarioHeader]: 'fraud_suspected' })
    expect((await control('POST', '/preview', { remove: [] })).json).toEqual({ leads: 0, changed: [] })
    expect((await control('POST', '/preview', { products: [{ product_id: crypto.randomUUID() }] })).status).toBe(400)
  })
})
