import { deliverDue, type EgressReply, type SettingsOverrides } from '@lead-distribution/engine'
import { describe, expect, it } from 'vitest'
import { createUrls } from '../pages/urls.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { accountOf } from '../tenants/account-of.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import { resolveTenantSettings } from '../tenants/tenant-settings.ts'
import { egressByHand, handMadeTime, noon } from '../world.fixture.ts'

/** A tenant with callbacks that are due, and the way to deliver them by hand. */
async function world(settings: SettingsOverrides = {}, answer?: (nth: number) => EgressReply) {
  const time = handMadeTime()
  const storage = createMemoryStorage()
  const record = await createTenant({ tenant: 'qa', seed: '1', created_at: noon, settings: {} })
  await storage.addTenant(record)
  const memory = storage.of('qa')
  const out = egressByHand(answer)
  const account = {
    ...accountOf(record, createUrls('http://127.0.0.1:1', '/api/v1')),
    settings: resolveTenantSettings(settings),
  }
  const ports = { storage: memory, clock: time.clock, realClock: time.clock, egress: out }
  return {
    time,
    out,
    deliver: () => deliverDue(ports, account),
    add: (callback_id: string, lead_id: string, due_at = noon) =>
      memory.transact(tables =>
        tables.addCallback({
          callback_id,
          lead_id,
          event: 'registration',
          url: 'http://127.0.0.1:1/',
          state: 'pending',
          attempts: [],
          due_at,
        }),
      ),
    of: (lead: string) => memory.transact(tables => tables.listCallbacks(lead)),
    nextDue: () => memory.transact(tables => tables.nextCallbackDue()),
  }
}

describe('delivering', () => {
  it('tries at once, and again after each duration of the list, then gives up [open/callback_retries]', async () => {
    const { time, add, deliver, of, nextDue } = await world({}, () => ({ status: 500 }))
    await add('c1', 'l1')
    for (const seconds of [5, 30, 300, 1800, 7200]) {
      expect(await deliver()).toBe(1)
      expect(await nextDue()).toBe(time.clock.now() + seconds * 1000)
      await time.advance(seconds * 1000 - 1)
      expect(await deliver()).toBe(0)
      await time.advance(1)
    }
    expect(await deliver()).toBe(1)
    const [callback] = await of('l1')
    expect(callback).toMatchObject({ state: 'failed', due_at: undefined })
    const elapsed = [0, 5, 35, 335, 2135, 9335]
    expect(callback?.attempts.map(({ at }) => (at - noon) / 1000)).toEqual(elapsed)
    expect([await nextDue(), await deliver()]).toEqual([undefined, 0])
  })

  it.each([
    [{ status: 200 }, 'delivered'],
    [{ status: 204 }, 'delivered'],
    [{ status: 299 }, 'delivered'],
    [{ status: 199 }, 'failed'],
    [{ status: 300 }, 'failed'],
    [{ status: 302 }, 'failed'],
    [{ status: 404 }, 'failed'],
    [{ error: 'connection refused' }, 'failed'],
  ] as [EgressReply, string][])('takes %j for %s [open/callback_timeout]', async (reply, state) => {
    const { add, deliver, of } = await world({ callback_retries: [] }, () => reply)
    await add('c1', 'l1')
    await deliver()
    expect(await of('l1')).toMatchObject([{ state, attempts: [{ at: noon, ms: 0, ...reply }] }])
  })

  it('sends one callback of a lead at a time, in the order of adding, and those of other leads beside it', async () => {
    const { add, deliver, out } = await world()
    for (const [id, lead] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['b1', 'b'],
      ['a3', 'a'],
    ] as const)
      await add(id, lead)
    expect([await deliver(), await deliver(), await deliver(), await deliver()]).toEqual([2, 1, 1, 0])
    expect(out.sent.map(({ url }) => new URL(url).searchParams.get('lead_id'))).toEqual(['a', 'b', 'a', 'a'])
  })

  it('holds back a lead whose callback waits for its retry', async () => {
    const { add, deliver, out, time } = await world({}, nth => ({ status: nth === 1 ? 500 : 200 }))
    await add('a1', 'a')
    await add('a2', 'a')
    expect([await deliver(), await deliver()]).toEqual([1, 0])
    await time.advance(5000)
    expect([await deliver(), await deliver(), await deliver()]).toEqual([1, 1, 0])
    expect(out.sent).toHaveLength(3)
  })

  it('sends nothing that is not due', async () => {
    const { add, deliver, time } = await world()
    await add('c1', 'l1', noon + 1)
    expect(await deliver()).toBe(0)
    await time.advance(1)
    expect(await deliver()).toBe(1)
  })

  it('sends more than a batch in several batches', async () => {
    const { add, deliver, out } = await world()
    for (let number = 0; number < 40; number++) await add(`c${number}`, `l${number}`)
    expect([await deliver(), await deliver(), await deliver(), await deliver()]).toEqual([16, 16, 8, 0])
    expect(new Set(out.sent.map(({ url }) => url)).size).toBe(40)
  })

  it('sends a callback once, also when two deliver at once', async () => {
    const { add, deliver, out } = await world()
    for (let number = 0; number < 10; number++) await add(`c${number}`, `l${number}`)
    await Promise.all([deliver(), deliver(), deliver()])
    expect(out.sent).toHaveLength(10)
  })

  it('takes up what somebody else left lying, once the lease is over', async () => {
    const { add, deliver, out, time } = await world()
    await add('c1', 'l1')
    const { send } = out
    out.send = () => new Promise(() => undefined)
    void deliver()
    await time.advance(14_999)
    out.send = send
    expect(await deliver()).toBe(0)
    await time.advance(1)
    expect(await deliver()).toBe(1)
  })

  it('gives each try the time-out of the account, and no headers unless it signs [open/callback_timeout] [open/callback_signature]', async () => {
    const { add, deliver, out } = await world({ callback_timeout: 'PT2S' })
    await add('c1', 'l1')
    await deliver()
    expect(out.sent).toMatchObject([{ timeoutMs: 2000, headers: {} }])
  })

  it('signs each try anew, by the time of the try and one id [open/callback_signature]', async () => {
    const { add, deliver, out, time } = await world({ callback_signature: 'standard_webhooks' }, () => ({
      status: 500,
    }))
    await add('c1', 'l1')
    await deliver()
    await time.advance(5000)
    await deliver()
    const [first, second] = out.sent.map(({ headers }) => headers)
    expect([first?.['webhook-id'], second?.['webhook-id']]).toEqual(['c1', 'c1'])
    expect([first?.['webhook-timestamp'], second?.['webhook-timestamp']]).toEqual([
      String(noon / 1000),
      String(noon / 1000 + 5),
    ])
    expect(first?.['webhook-signature']).not.toBe(second?.['webhook-signature'])
  })
})
