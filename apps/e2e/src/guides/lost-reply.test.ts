import { createTestLeads } from '@lead-distribution/contract/testing'
import { createPublisher, OutcomeUnknownError } from '@lead-distribution/publisher-sdk'
import { describe, expect, it } from 'vitest'
import type { Tenant } from '../adapters/tenant.ts'
import { openJourney } from './journey.fixture.ts'

const journey = openJourney()

const publisherOf = ({ account, publisherKey }: Tenant) =>
  createPublisher({ baseUrl: account.base_url, apiKey: publisherKey })
const leadsOf = async (tenant: Tenant) => (await tenant.control('GET', '/leads')).json.leads

/** Submits twice, the first reply being lost by an effect; answers the fault and the second result. */
async function submitTwice(tenant: Tenant, effect: object) {
  const fault = { match: { operation: 'submitLead' }, effect, times: 1 }
  expect((await tenant.control('POST', '/faults', { body: fault })).status).toBe(201)
  const publisher = publisherOf(tenant)
  const lead = createTestLeads(tenant.account).distributed()
  const error = await publisher.submit(lead).catch((thrown: unknown) => thrown)
  if (!OutcomeUnknownError.is(error)) throw new Error('The outcome of the first submission is known.')
  return { error, leadsBetween: await leadsOf(tenant), result: await publisher.submit(lead, { after: error.attempt }) }
}

describe('a lost reply', () => {
  it('leaves one lead, and the resend gets customer_already_exists', async () => {
    const tenant = await journey.newTenant()
    const { error, leadsBetween, result } = await submitTwice(tenant, { lost_reply: true })
    expect([error.sent, error.meta?.attempts]).toEqual(['maybe', 1])
    expect(result).toMatchObject({
      outcome: 'rejected',
      rejection_reason: 'customer_already_exists',
      lead_id: null,
      mayBeOwnEarlierAttempt: true,
    })
    expect(await leadsOf(tenant)).toEqual(leadsBetween)
    expect(leadsBetween).toMatchObject([{ status: 'distributed' }])
  })

  it('is made good by the callbacks, which tell the id', async () => {
    const tenant = await journey.newTenant()
    const { leadsBetween } = await submitTwice(tenant, { lost_reply: true })
    const [{ lead_id }] = leadsBetween
    await tenant.pixel(lead_id, 'approved')
    expect(await tenant.inbox(1)).toMatchObject([{ lead_id, event: 'loan_issued' }])
  })

  it('is another thing than a connection cut before: then there is no lead, and the resend is distributed', async () => {
    const tenant = await journey.newTenant()
    const { error, leadsBetween, result } = await submitTwice(tenant, { reset: true })
    expect([error.sent, leadsBetween, result.outcome]).toEqual(['maybe', [], 'distributed'])
    expect(await leadsOf(tenant)).toHaveLength(1)
  })
})
