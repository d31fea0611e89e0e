import { expect, it } from 'vitest'
import { onEveryStorage } from '../adapters/every-adapter.ts'
import { openReceiver } from '../adapters/receiver.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

const noon = '2026-06-15T12:00:00.000Z'
const thirtyDaysLater = '2026-07-15T12:00:00.000Z'

const statesOf = async (tenant: Tenant) =>
  (await tenant.client.callbacks.list()).callbacks.map(({ state, attempts, held }) => [state, attempts.length, held])

onEveryStorage('held callbacks', adapter => {
  /** A tenant with its clock frozen at noon, a receiver, and held callbacks. */
  async function held(receiver: { readonly url: string }): Promise<Tenant> {
    const tenant = await createTenant(adapter, { frozen_at: noon, callback_url: receiver.url })
    expect(await tenant.client.callbacks.hold()).toMatchObject({ callbacks_held: true })
    return tenant
  }
  async function report(tenant: Tenant, ...events: string[]): Promise<string> {
    const lead = await tenant.distributedLead()
    for (const event of events) await tenant.pixel(lead, event)
    return lead
  }

  it('wait at any time of the clock, and are sent in order on release, each as a first attempt', async () => {
    await using receiver = await openReceiver()
    const tenant = await held(receiver)
    const { callbacks, clock } = tenant.client
    const lead_id = await report(tenant, 'registration', 'approved')
    const advanced = await clock.advance({ by: 'P30D' })
    expect(advanced).toEqual({ now: thirtyDaysLater, executed: 0, pending: 2, held: 2 })
    expect(await statesOf(tenant)).toEqual([
      ['pending', 0, 'tenant'],
      ['pending', 0, 'tenant'],
    ])
    const { due } = await clock.agenda()
    expect(due).toMatchObject([
      { at: noon, event: 'registration', held: 'tenant' },
      { at: noon, event: 'loan_issued', held: 'tenant' },
    ])
    expect((await tenant.client.leads.show(lead_id)).callbacks[0]).not.toHaveProperty('next_attempt_at')
    expect(receiver.received).toEqual([])

    expect(await callbacks.release()).toMatchObject({ callbacks_held: false })
    const events = receiver.received.map(({ target }) => new URL(target, receiver.url).searchParams.get('event'))
    expect(events).toEqual(['registration', 'loan_issued'])
    const sent = (await callbacks.list()).callbacks
    expect(sent.map(({ attempts }) => attempts.map(({ at }) => at))).toEqual([[thirtyDaysLater], [thirtyDaysLater]])
    expect(await clock.advance({ by: 'PT1S' })).not.toHaveProperty('held')
  })

  it('wait for attempts in flight, so that nothing is sent after the response', async () => {
    const arrived = Promise.withResolvers<() => void>()
    await using receiver = await openReceiver(response => arrived.resolve(() => response.end()))
    const tenant = await createTenant(adapter, { callback_url: receiver.url })
    await report(tenant, 'approved')
    const respond = await arrived.promise
    let replied = false
    const holding = tenant.client.callbacks.hold().then(() => (replied = true))
    await expect.poll(async () => (await tenant.client.show()).callbacks_held).toBe(true)
    await report(tenant, 'approved')
    expect(replied).toBe(false)
    respond()
    await holding
    expect(await statesOf(tenant)).toEqual([
      ['pending', 0, 'tenant'],
      ['delivered', 1, undefined],
    ])
    expect(receiver.received).toHaveLength(1)
  })

  it('with a fault count it at the attempt, not when they are postponed', async () => {
    await using receiver = await openReceiver(response => response.writeHead(503).end())
    const tenant = await createTenant(adapter, { frozen_at: noon, callback_url: receiver.url })
    const { clock, faults } = tenant.client
    await report(tenant, 'approved')
    await expect.poll(() => statesOf(tenant)).toEqual([['pending', 1, undefined]])
    await faults.add({ match: { operation: 'callback' }, effect: { delay: 'PT5S' }, times: 1 })
    // Due after 5 s, postponed to 10 s, attempted then and 30 s later.
    expect(await clock.advance({ by: 'PT9S' })).toMatchObject({ executed: 0, pending: 1 })
    expect(await clock.advance({ by: 'PT51S' })).toMatchObject({ executed: 2, pending: 1 })
    expect(await statesOf(tenant)).toEqual([['pending', 3, undefined]])
  })

  it('stay held in a snapshot and its file, and are released by a reset', async () => {
    await using receiver = await openReceiver()
    const tenant = await held(receiver)
    await report(tenant, 'approved')
    const { snapshots, callbacks } = tenant.client
    await snapshots.save('held')
    await snapshots.import('read', await snapshots.export('held'))
    await callbacks.release()
    expect(receiver.received).toHaveLength(1)
    for (const name of ['held', 'read']) {
      expect(await snapshots.restore(name)).toMatchObject({ callbacks_held: true })
      expect(await statesOf(tenant)).toEqual([['pending', 0, 'tenant']])
    }
    expect(await tenant.client.reset()).toMatchObject({ callbacks_held: false })
    expect(receiver.received).toHaveLength(1)
  })
})
