import { rejectionReasons } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { createPublisher, OutcomeUnknownError, RateLimitError, redirectResponse } from '../index.ts'
import { createFakeService, createTestLeads } from '../testing.ts'

/** A publisher of a fake service. */
function world() {
  const fake = createFakeService()
  return { fake, leads: createTestLeads(fake.account), publisher: createPublisher(fake.publisher) }
}

describe('a publisher of the fake service', () => {
  it('gets a lead that is distributed, with an address to redirect to', async () => {
    const { fake, leads, publisher } = world()
    const result = await publisher.submit(leads.distributed())
    if (result.outcome !== 'distributed') return expect.fail(result.outcome)
    expect(redirectResponse(result).status).toBe(303)
    expect(fake.requests).toMatchObject([{ operation: 'submitLead', credential: 'right', body: result.raw && {} }])
  })

  it.each(rejectionReasons)('learns of %s', async reason => {
    const { leads, publisher } = world()
    expect(await publisher.submit(leads.scenario(reason))).toMatchObject({
      outcome: 'rejected',
      rejection_reason: reason,
    })
  })

  it('loses a reply, and submits once more naming the attempt', async () => {
    const { fake, leads, publisher } = world()
    fake.next('lost_reply', 'customer_already_exists')
    const lead = leads.distributed()
    const error = await publisher.submit(lead).then(null, reason => reason)
    if (!OutcomeUnknownError.is(error)) return expect.fail(String(error))
    expect(await publisher.submit(lead, { previousAttempt: error.attempt })).toMatchObject({
      mayBeOwnEarlierAttempt: true,
    })
    expect(fake.pending).toEqual([])
  })

  it('retries without a wait, and gets what is set for every call', async () => {
    const { fake, leads, publisher } = world()
    fake.next('refused', 'rate_limited')
    expect(await publisher.submit(leads.distributed())).toMatchObject({ outcome: 'distributed', meta: { attempts: 3 } })
    fake.always('rate_limited')
    await expect(publisher.submit(leads.distributed())).rejects.toSatisfy(RateLimitError.is)
  })
})

it.each(['https://acme.example.com/api/v1', 'https://sandbox.example.com', 'http://leads:8080', 'http://127.0.0.1:1'])(
  'the fake service is at the address %s of its options',
  async baseUrl => {
    const fake = createFakeService({ baseUrl })
    const publisher = createPublisher(fake.publisher)
    expect(await publisher.submit(createTestLeads(fake.account).new())).toMatchObject({ outcome: 'distributed' })
  },
)
