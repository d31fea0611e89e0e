import { describe, expect, it } from 'vitest'
import { openTenantClient, type Shown } from '../control/tenant-client.fixture.ts'
import type { CallbackResponse, PostDial } from '../egress/guarded-egress.ts'
import { manualEgress, noon, settled } from '../ports.fixture.ts'

const backend_url = 'http://127.0.0.1:9000/leads'

/** A tenant with advertisers that have a back end, whose response and timing the test controls. */
async function openWithBackend(answer: (post: PostDial) => Promise<CallbackResponse>) {
  const posted: PostDial[] = []
  const dialer = {
    get: manualEgress().send,
    post: (post: PostDial) => {
      posted.push(post)
      return answer(post)
    },
    close: () => undefined,
  }
  const calls = await openTenantClient({ name: 'qa', seed: 'back ends' }, { dialer })
  const advertisers = calls.account.advertisers.map(({ advertiser_id }) => ({ advertiser_id, backend_url }))
  await calls.done('PATCH', '', { advertisers })
  const backendOf = async (lead_id: string) =>
    (await calls.get(`/leads/${lead_id}`)).deliveries.flatMap(({ backend }: Shown) => backend ?? [])
  return { ...calls, posted, backendOf }
}

describe('a lead that an advertiser accepts', () => {
  it('is posted to its back end before the response, with ids, the postback URL and two figures but no customer data', async () => {
    const { submit, leads, posted, backendOf, get } = await openWithBackend(async () => ({ status: 201 }))
    const { lead_id } = await submit(leads.distributed, 'ana@example.com')
    expect(posted).toHaveLength(1)
    expect(posted[0]).toMatchObject({ url: backend_url, timeoutMs: 10_000 })
    const json = JSON.parse(posted[0]?.json ?? '')
    const lead = await get(`/leads/${lead_id}`)
    const { loan_amount, loan_term_months } = lead.submission.product_data
    const { postback_url } = lead.deliveries.find(({ decision }: Shown) => decision === 'accepted')
    expect(json).toEqual({
      lead_id,
      postback_url,
      amount: loan_amount,
      term_months: loan_term_months,
      status_url: `http://127.0.0.1:4010/api/v1/lead/${lead_id}/status`,
    })
    expect(await backendOf(lead_id)).toEqual([{ at: new Date(noon).toISOString(), status: 201, ms: 0 }])
  })

  it('is distributed whatever the back end responds, and the response is recorded', async () => {
    const { submit, leads, backendOf } = await openWithBackend(async () => ({ error: 'connection refused' }))
    const { lead_id, status } = await submit(leads.distributed)
    expect(status).toBe('distributed')
    expect(await backendOf(lead_id)).toMatchObject([{ error: 'connection refused' }])
  })

  it('waits a second for a slow back end, and records its response later', async () => {
    const answered = Promise.withResolvers<CallbackResponse>()
    const { submit, leads, time, posted, backendOf } = await openWithBackend(() => answered.promise)
    let reply: Shown
    const submitting = submit(leads.distributed).then(each => {
      reply = each
    })
    await expect.poll(() => posted.length).toBe(1)
    await time.advance(999)
    expect(reply).toBeUndefined()
    await time.advance(1)
    await submitting
    expect(reply.status).toBe('distributed')
    expect(await backendOf(reply.lead_id)).toEqual([])
    await time.advance(500)
    answered.resolve({ status: 200 })
    await settled()
    expect(await backendOf(reply.lead_id)).toMatchObject([{ status: 200, ms: 1_500 }])
  })

  it('is posted to the back end of each advertiser that has it, and each response is stored with its advertiser', async () => {
    const { submit, leads, done, get, account } = await openWithBackend(async ({ url }) => ({
      status: Number(url.slice(-3)),
    }))
    const advertisers = account.advertisers.map(({ advertiser_id }, nth) => ({
      advertiser_id,
      backend_url: `http://127.0.0.1:9000/${201 + nth}`,
    }))
    await done('PATCH', '', { advertisers, settings: { distribution: 'all_accepting' } })
    const { lead_id } = await submit(leads.distributed)
    const { deliveries } = await get(`/leads/${lead_id}`)
    const accepted = deliveries.filter(({ decision }: Shown) => decision === 'accepted')
    expect(accepted.length).toBeGreaterThan(1)
    for (const { advertiser_id, backend } of accepted) {
      const nth = account.advertisers.findIndex(each => each.advertiser_id === advertiser_id)
      expect(backend).toMatchObject({ status: 201 + nth })
    }
  })

  it('is not posted if nobody accepts it, or if no advertiser has a back end', async () => {
    const { submit, leads, posted, done, account } = await openWithBackend(async () => ({ status: 200 }))
    expect((await submit(leads.new)).status).toBe('new')
    expect((await submit(leads.ageRestricted)).status).toBe('rejected')
    const without = account.advertisers.map(({ advertiser_id }) => ({ advertiser_id, backend_url: null }))
    await done('PATCH', '', { advertisers: without })
    expect((await submit(leads.distributed)).status).toBe('distributed')
    expect(posted).toEqual([])
  })
})
