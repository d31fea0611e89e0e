import { signCallback } from '@lead-distribution/contract'
import type { ControlReply } from '@lead-distribution/simulator'
import { expect, it, onTestFinished } from 'vitest'
import { onEveryAdapter } from './every-adapter.ts'
import { createTenant, type Tenant } from './tenant.ts'

const noon = '2026-06-15T12:00:00.000Z'
const forwardTo = 'http://localhost:3000/callback?shop=1'

type Delivery = ControlReply<'takeCallbacks'>['deliveries'][number]

/** Starts a tenant's listener. It reports what `answer` returns, and nothing for undefined. */
async function listening(
  tenant: Tenant,
  answer: (nth: number) => { status?: number; error?: string } | undefined = () => ({ status: 200 }),
  since?: string,
) {
  const { listener } = tenant.client
  const { listener_id, resent } = await listener.start({ forwardTo, since })
  const taken: Delivery[] = []
  let runs = true
  const stop = async () => {
    runs = false
    await listener.end(listener_id).catch(() => undefined)
    await running
  }
  async function run(): Promise<void> {
    while (runs) {
      const { deliveries } = await listener.take(listener_id)
      for (const delivery of deliveries) {
        const response = answer(taken.push(delivery))
        if (response) await listener.report(listener_id, delivery.delivery_id, response)
      }
    }
  }
  // Its last request may find the listener ended.
  const running = run().catch(error => runs && Promise.reject(error))
  onTestFinished(stop)
  await expect.poll(async () => (await tenant.client.show()).listener?.connected).toBe(true)
  return { listener_id, resent, taken, stop }
}

const shown = async (tenant: Tenant) =>
  (await tenant.client.callbacks.list()).callbacks.map(({ state, attempts, held }) => ({
    state,
    held,
    tries: attempts.map(({ status, error }) => status ?? error),
  }))

onEveryAdapter('a listener', adapter => {
  it("decides each attempt by the response it reports, and retries on the tenant's clock", async () => {
    const tenant = await createTenant(adapter, {
      frozen_at: noon,
      settings: { callback_signature: 'standard_webhooks', callback_retries: ['PT1M', 'PT1H'] },
    })
    const { taken } = await listening(tenant, nth => ({ status: nth < 3 ? 503 : 200 }))
    const lead_id = await tenant.distributedLead()
    await tenant.pixel(lead_id, 'approved')
    const { clock, callbacks } = tenant.client
    expect(await clock.advance({ by: 'PT2H' })).toMatchObject({ executed: 3, pending: 0 })
    const delivered = await callbacks.wait({ leadId: lead_id })
    expect(delivered.attempts.map(({ at, status }) => [at, status])).toEqual([
      ['2026-06-15T12:00:00.000Z', 503],
      ['2026-06-15T12:01:00.000Z', 503],
      ['2026-06-15T13:01:00.000Z', 200],
    ])
    const url = `${forwardTo}&lead_id=${lead_id}&event=loan_issued`
    expect(delivered.url).toBe(url)
    expect(taken.map(({ attempt, lead_id, event, url }) => ({ attempt, lead_id, event, url }))).toEqual(
      [1, 2, 3].map(attempt => ({ attempt, lead_id, event: 'loan_issued', url })),
    )
    const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '' } = taken[2]?.headers ?? {}
    const { pathname, search } = new URL(url)
    const signed = { secret: tenant.account.publisher.callback_secret, id, timestamp, target: `${pathname}${search}` }
    expect(taken[2]?.headers['webhook-signature']).toBe(await signCallback(signed))
    expect((await tenant.client.inbox.show()).callbacks).toEqual([])
  })

  it('holds callbacks while disconnected, and fails those in flight when it ends', async () => {
    const tenant = await createTenant(adapter, { settings: { callback_retries: ['PT1H'] } })
    const { listener } = tenant.client
    const { listener_id } = await listener.start({ forwardTo })
    expect((await tenant.client.show()).listener).toEqual({ listener_id, forward_to: forwardTo, connected: false })
    const lead_id = await tenant.distributedLead()
    await tenant.pixel(lead_id, 'approved')
    expect(await shown(tenant)).toEqual([{ state: 'pending', held: 'listener', tries: [] }])
    expect(await tenant.client.clock.advance({ by: 'PT1S' })).toMatchObject({ executed: 0, held: 1 })
    let taken: Delivery[] = []
    while (taken.length === 0) taken = (await listener.take(listener_id)).deliveries
    await listener.end(listener_id)
    const error = 'the listener stopped before it reported a response'
    await expect.poll(() => shown(tenant)).toEqual([{ state: 'pending', held: undefined, tries: [error] }])
    await tenant.client.clock.advance({ by: 'PT1H' })
    expect((await tenant.client.callbacks.wait({ leadId: lead_id })).attempts).toMatchObject([
      { error },
      { status: 200 },
    ])
    expect((await tenant.client.inbox.show()).callbacks).toHaveLength(1)
    const [{ delivery_id } = expect.fail()] = taken
    await expect(listener.report(listener_id, delivery_id, { status: 200 })).rejects.toMatchObject({ status: 404 })
    await expect(listener.take(listener_id)).rejects.toMatchObject({ status: 404 })
  })

  it('first receives earlier callbacks in any state, if it asks for them', async () => {
    const tenant = await createTenant(adapter, { settings: { callback_retries: [] } })
    await tenant.client.inbox.change({ status: 500, times: 1 })
    const lead_id = await tenant.distributedLead()
    for (const event of ['registration', 'approved']) await tenant.pixel(lead_id, event)
    await tenant.client.callbacks.wait({ leadId: lead_id, event: 'approved' })
    const { resent, taken } = await listening(tenant, () => ({ status: 200 }), 'PT1H')
    expect(resent).toBe(2)
    await expect.poll(() => taken.map(({ event }) => event)).toEqual(['registration', 'loan_issued'])
    await expect
      .poll(async () => (await shown(tenant)).map(({ state, tries }) => [state, ...tries]))
      .toEqual([
        ['delivered', 200, 200],
        ['delivered', 500, 200],
      ])
  })

  it('survives a reset and a restore, and is the only listener', async () => {
    const tenant = await createTenant(adapter)
    await tenant.client.snapshots.save('before')
    const { taken } = await listening(tenant)
    await expect(tenant.client.listener.start({ forwardTo })).rejects.toMatchObject({
      status: 409,
      code: 'too_many',
    })
    await tenant.client.reset()
    await tenant.pixel(await tenant.distributedLead(), 'approved')
    await expect.poll(() => taken.length, { timeout: 10_000 }).toBe(1)
    await tenant.client.snapshots.restore('before')
    await tenant.pixel(await tenant.distributedLead(), 'approved')
    await expect.poll(() => taken.length, { timeout: 10_000 }).toBe(2)
    expect((await tenant.client.inbox.show()).callbacks).toEqual([])
  })
})
