import { describe, expect, it } from 'vitest'
import { openTenantClient, type Shown } from '../control/tenant-client.fixture.ts'
import type { CallbackResponse, PostDial } from '../never-distribute/guarded-egress.ts'
import { egressByHand, settled } from '../ports.fixture.ts'

const backend_url = 'http://127.0.0.1:9000/leads'

/** A tenant whose advertisers have a back end, which answers when and as the test says. */
async function openWithBackend(answer: (post: PostDial) => Promise<CallbackResponse>) {
  const posted: PostDial[] = []
  const dialer = {
    get: egressByHand().send,
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
  it('waits a second for a slow back end, whose answer is recorded later', async () => {
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

  it('is posted to the back end of each advertiser that has it, and each answer is kept with its own', async () => {
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
})
