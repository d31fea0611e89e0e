import type { SandboxEvent } from '@lead-distribution/control-client'
import { expect, it } from 'vitest'
import { onEveryAdapter } from './every-adapter.ts'
import { followed } from './follow-events.fixture.ts'
import { createTenant } from './tenant.ts'

const isDelivered = (event: SandboxEvent) => event.type === 'callback' && event.callback.state === 'delivered'

onEveryAdapter('a stream of events', adapter => {
  it('reports leads, events, callback states, clock and faults, without personal data or keys', async () => {
    const tenant = await createTenant(adapter)
    const { until, seen, first } = await followed(tenant)
    expect(first).toEqual({ type: 'ready', id: expect.any(String) })
    await tenant.client.inbox.change({ status: 500, times: 1 })
    const lead_id = await tenant.distributedLead()
    await tenant.pixel(lead_id, 'approved')
    await until(event => event.type === 'callback' && event.callback.attempts.length === 1)
    await tenant.client.clock.advance({ by: 'PT1M' })
    await until(isDelivered)
    await tenant.client.faults.add({ match: { operation: 'submitLead' }, effect: { status: 503 }, times: 1 })
    await tenant.submit()
    await until(event => event.type === 'fault' && event.faults[0]?.acted === 1)

    const of = { tenant: tenant.account.tenant, at: expect.any(String) }
    const product_id = tenant.product().product_id
    const { advertiser_id } = tenant.advertiser()
    expect(seen).toContainEqual(
      expect.objectContaining({ ...of, type: 'lead', change: 'submitted', lead_id, product_id, status: 'distributed' }),
    )
    expect(seen).toContainEqual(
      expect.objectContaining({ ...of, type: 'lead', change: 'reported', lead_id, advertiser_id, event: 'approved' }),
    )
    const states = seen.flatMap(event => (event.type === 'callback' ? [event.callback.state] : []))
    expect(states).toEqual(['pending', 'pending', 'delivered'])
    const { callbacks } = await tenant.client.callbacks.list()
    expect(seen.findLast(isDelivered)).toMatchObject({ ...of, callback: callbacks[0] })
    const secrets = [tenant.publisherKey, tenant.advertiserKey(), 'example.com', 'Prueba', 'token=']
    for (const secret of secrets) expect(JSON.stringify(seen)).not.toContain(secret)
  })

  it('resumes after the last event without gaps or repeats, and says so if it cannot', async () => {
    const tenant = await createTenant(adapter)
    const { until } = await followed(tenant)
    await tenant.client.clock.freeze()
    const { id } = await until(event => event.type === 'clock')
    for (const by of ['PT1H', 'PT2H']) await tenant.client.clock.advance({ by })
    const live: unknown[] = []
    const expected = (await tenant.client.clock.show()).now
    await until(event => {
      live.push(event)
      return event.type === 'clock' && event.clock.now === expected
    })
    const back = await followed(tenant, id)
    expect(back.first).toEqual({ type: 'ready', id })
    await back.until(event => back.seen.length > live.length && event.type === 'clock')
    expect(back.seen.slice(1)).toEqual(live)
    expect((await followed(tenant, 'unknown-1')).first).toMatchObject({ type: 'reset' })
  })

  it('does not block resetting, restoring or deleting its tenant', async () => {
    const tenant = await createTenant(adapter)
    const { until } = await followed(tenant)
    await tenant.client.snapshots.save('then')
    for (const change of [() => tenant.client.reset(), () => tenant.client.snapshots.restore('then')]) {
      await change()
      await until(event => event.type === 'tenant' && event.change === 'restored')
    }
    await tenant.change({ settings: { gender: 'required' } })
    await until(event => event.type === 'tenant' && event.change === 'changed')
    await tenant.client.delete()
    await until(event => event.type === 'tenant' && event.change === 'deleted')
    await expect(until(() => false)).rejects.toThrow('the stream ended')
  })
})
