import { signCallback } from '@lead-distribution/contract'
import { expect, it } from 'vitest'
import { onEveryStorage } from '../adapters/every-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

const noon = '2026-06-15T12:00:00.000Z'

const shown = async (tenant: Tenant) =>
  (await tenant.client.callbacks.list()).callbacks.map(({ event, state, synthetic = false }) => [
    event,
    state,
    synthetic,
  ])

/** Returns the callbacks in the inbox, oldest first. */
const received = async (tenant: Tenant) => (await tenant.client.inbox.show()).callbacks.toReversed()

onEveryStorage('a synthetic callback', adapter => {
  /** A tenant with signed callbacks and a lead with a delivered approval. */
  async function approved() {
    const tenant = await createTenant(adapter, {
      frozen_at: noon,
      settings: { callback_signature: 'standard_webhooks', callback_retries: ['PT1M'] },
    })
    const lead_id = await tenant.distributedLead()
    await tenant.pixel(lead_id, 'approved')
    const real = await tenant.client.callbacks.wait({ leadId: lead_id })
    return { tenant, lead_id, real }
  }

  it('repeats the recorded one any number of times, edited or badly signed on request', async () => {
    const { tenant, lead_id, real } = await approved()
    const { callbacks } = await tenant.client.callbacks.send({ leadId: lead_id, event: 'loan_issued', repeat: 2 })
    expect(callbacks).toMatchObject([
      { synthetic: true, state: 'delivered', url: real.url, attempts: [{ status: 200 }] },
      { synthetic: true, state: 'delivered', url: real.url },
    ])
    const edit = { event: 'no such', extra: 'ü&' }
    const [edited] = (
      await tenant.client.callbacks.send({ leadId: lead_id, event: 'approved', edit, badSignature: true })
    ).callbacks
    const [first, again, , wrong] = await received(tenant)
    expect(first).toEqual({ ...again, entry_id: 'i1' })
    expect(first?.headers['webhook-id']).toBe(real.callback_id)
    const { searchParams } = new URL(edited?.url ?? '')
    expect(Object.fromEntries(searchParams)).toEqual({ lead_id, ...edit })
    const { headers = {}, target = '' } = wrong ?? {}
    expect([wrong?.event, new URL(edited?.url ?? '').search]).toEqual(['no such', target.slice(target.indexOf('?'))])
    const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signature } = headers
    const secret = tenant.account.publisher.callback_secret
    expect(signature).toMatch(/^v1,/)
    expect(signature).not.toBe(await signCallback({ secret, id, timestamp, target }))
    expect(await tenant.client.callbacks.show(real.callback_id)).toEqual(real)
  })

  it("never counts as an event's delivery, and is not resent with failed ones", async () => {
    const tenant = await createTenant(adapter)
    const lead_id = await tenant.distributedLead()
    await tenant.client.callbacks.send({ leadId: lead_id, event: 'approved' })
    await tenant.client.inbox.change({ status: 500, times: 1 })
    const [failed] = (await tenant.client.callbacks.send({ leadId: lead_id, event: 'approved' })).callbacks
    expect(failed).toMatchObject({ state: 'failed', attempts: [{ status: 500 }] })
    expect(await shown(tenant)).toEqual([
      ['loan_issued', 'failed', true],
      ['loan_issued', 'delivered', true],
    ])
    await expect(tenant.client.callbacks.wait({ leadId: lead_id, timeoutMs: 0 })).rejects.toMatchObject({ status: 404 })
    expect((await tenant.client.callbacks.recover({ since: 'PT1H' })).callbacks).toEqual([])
    const { items } = await tenant.client.coverage()
    expect(items.filter(({ kind, count }) => kind === 'callback' && count > 0)).toEqual([])
    expect((await tenant.client.leads.show(lead_id)).events).toEqual([])
  })

  it("is delayed on the tenant's clock, and blocks no other callback", async () => {
    const { tenant, lead_id } = await approved()
    await tenant.client.faults.add({ match: { operation: 'callback' }, effect: { drop: true } })
    const [late] = (await tenant.client.callbacks.send({ leadId: lead_id, event: 'approved', late: 'P30D' })).callbacks
    expect(late).toMatchObject({ state: 'pending', next_attempt_at: '2026-07-15T12:00:00.000Z' })
    await tenant.client.faults.clear()
    await tenant.pixel(lead_id, 'completed')
    expect(await tenant.client.callbacks.wait({ leadId: lead_id, event: 'completed' })).not.toHaveProperty('synthetic')
    await tenant.client.snapshots.save('late')
    await tenant.client.snapshots.import('file', await tenant.client.snapshots.export('late'))
    await tenant.client.snapshots.restore('file')
    expect(await tenant.client.clock.advance({ by: 'P29D' })).toMatchObject({ pending: 1 })
    expect(await received(tenant)).toHaveLength(2)
    await tenant.client.clock.advance({ by: 'P1D' })
    expect(await received(tenant)).toHaveLength(3)
    expect(await tenant.client.callbacks.show(late?.callback_id ?? '')).toMatchObject({
      state: 'delivered',
      synthetic: true,
    })
  })
})
