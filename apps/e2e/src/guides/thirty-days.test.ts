import { describe, expect, it } from 'vitest'
import { openReceiver, withStatus } from '../adapters/receiver.ts'
import { advance, openJourney } from './journey.fixture.ts'

const journey = openJourney()
const lifecycle = [
  { event: 'registration', after: 'PT10M' },
  { event: 'approved', after: 'P2D' },
  { event: 'completed', after: 'P30D' },
]
const creation = { frozen_at: '2026-01-01T09:00:00Z', settings: { lifecycle } }

describe('30 days of a loan', () => {
  it('report each event at its own time, and no sooner', async () => {
    const tenant = await journey.newTenant(creation)
    const lead = await tenant.distributedLead()
    const counts: number[] = []
    for (const by of ['PT9M59.999S', 'PT0.001S', 'P1DT23H49M59.999S', 'PT0.001S', 'P28D', 'P365D']) {
      await advance(tenant, by)
      counts.push((await tenant.lead(lead)).events.length)
    }
    expect(counts).toEqual([0, 1, 1, 2, 3, 3])
  })

  it('come in one order for two loans, in one leap of time, and leave nothing waiting', async () => {
    await using receiver = await openReceiver(withStatus(200))
    const tenant = await journey.newTenant({ ...creation, callback_url: receiver.url })
    const ana = await tenant.distributedLead()
    await advance(tenant, 'P1D')
    const bea = await tenant.distributedLead()
    expect(await advance(tenant, 'P31D')).toMatchObject({ now: '2026-02-02T09:00:00.000Z', pending: 0 })

    const names = { [ana]: 'Ana', [bea]: 'Bea' }
    const told = receiver.received.map(({ target }) => {
      const query = new URL(target, receiver.url).searchParams
      return `${names[query.get('lead_id') ?? '']} ${query.get('event')}`
    })
    expect(told).toEqual([
      'Ana registration',
      'Bea registration',
      'Ana loan_issued',
      'Bea loan_issued',
      'Ana loan_paid',
      'Bea loan_paid',
    ])
  })
})

it('a customer comes of age on the tenant clock', async () => {
  const tenant = await journey.newTenant({ frozen_at: '2026-01-01T09:00:00Z' })
  const submit = async () =>
    (await tenant.submit({ 'customer.personal_data.birthday': '2008-01-02' }, 'ana@example.com')).json
  expect(await submit()).toMatchObject({ status: 'rejected', rejection_reason: 'age_restriction' })
  await advance(tenant, 'P1D')
  expect(await submit()).toMatchObject({ status: 'distributed' })
})
