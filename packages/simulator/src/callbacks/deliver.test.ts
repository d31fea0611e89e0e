import type { SettingsChange } from '@lead-distribution/contract'
import { resolveSettings } from '@lead-distribution/contract/shapes'
import { describe, expect, it } from 'vitest'
import { createFaultStore, noFaults } from '../effects/faults.ts'
import type { CallbackResponse } from '../egress/guarded-egress.ts'
import { manualEgress, manualTime, noon } from '../ports.fixture.ts'
import { createMemoryStorage } from '../storage/memory-storage.ts'
import { createStoredDocument } from '../storage/stored-document.ts'
import { accountOf } from '../tenants/account.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import { createUrls } from '../urls.ts'
import {
  type CallbackContext,
  deliver as deliverOne,
  leaseCallbacks,
  nextCallbackDue,
  recordCallback,
} from './deliver.ts'

/** A tenant with due callbacks, and a function to deliver them. */
async function tenantWith(settings: SettingsChange = {}, answer?: (nth: number) => CallbackResponse) {
  const time = manualTime()
  const storage = createMemoryStorage()
  const record = await createTenant({ tenant: 'qa', seed: '1', created_at: noon, settings: {} })
  await storage.addTenant(record)
  const memory = storage.of('qa')
  const out = manualEgress(answer)
  const account = {
    ...accountOf(record, createUrls('http://127.0.0.1:1', '/api/v1'), false),
    settings: resolveSettings(settings),
  }
  const faults = createFaultStore(
    createStoredDocument(memory, 'faults', { initial: noFaults, unwritten: noFaults }),
    [1, 2, 3, 4],
  )
  const tenant = { record, account }
  const context: CallbackContext = {
    tenant,
    storage: memory,
    clock: time.clock,
    steadyClock: time.clock,
    leaseClock: time.clock,
    egress: { send: request => out.send(request) },
    faults,
    secrets: () => [],
    listener: { room: () => 16, isReachable: async () => true },
  }
  return {
    time,
    out,
    faults,
    hold(callbacks_held: boolean) {
      tenant.record = { ...record, callbacks_held }
    },
    /** Delivers due callbacks, and returns their number. */
    async deliver(onLeased = () => {}) {
      const leased = await memory.transact(tables => leaseCallbacks(context, tables, time.clock.now(), 16))
      onLeased()
      const results = await Promise.all(leased.map(callback => deliverOne(context, callback)))
      await memory.transact(async tables => {
        for (const result of results) await recordCallback(result, tables, time.clock.now())
      })
      return leased.length
    },
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
    nextDue: () => memory.transact(tables => nextCallbackDue(context, tables, undefined)),
  }
}

describe('delivering', () => {
  it('attempts at once, retries after each delay in the list, then gives up [open/callback_retries]', async () => {
    const { time, add, deliver, of, nextDue } = await tenantWith({}, () => ({ status: 500 }))
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
  ] as [CallbackResponse, string][])('counts %j as %s [open/callback_timeout]', async (reply, state) => {
    const { add, deliver, of } = await tenantWith({ callback_retries: [] }, () => reply)
    await add('c1', 'l1')
    await deliver()
    expect(await of('l1')).toMatchObject([{ state, attempts: [{ at: noon, ms: 0, ...reply }] }])
  })

  it('attempts a callback that another process left unfinished, once the lease has expired', async () => {
    const { add, deliver, out, time } = await tenantWith()
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

  it("sends each attempt with the account's timeout, and without headers unless the account signs [open/callback_timeout] [open/callback_signature]", async () => {
    const { add, deliver, out } = await tenantWith({ callback_timeout: 'PT2S' })
    await add('c1', 'l1')
    await deliver()
    expect(out.sent).toMatchObject([{ timeoutMs: 2000, headers: {} }])
  })

  it('signs each attempt anew, with its own time and the same id [open/callback_signature]', async () => {
    const { add, deliver, out, time } = await tenantWith({ callback_signature: 'standard_webhooks' }, () => ({
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

describe('holding callbacks', () => {
  it('sends nothing until the release, then attempts each in order and retries from then on', async () => {
    const { add, deliver, hold, of, out, time, nextDue } = await tenantWith({}, nth => ({
      status: nth === 1 ? 500 : 200,
    }))
    hold(true)
    await add('a1', 'a', noon + 2)
    await add('b1', 'b', noon + 1)
    await time.advance(30 * 24 * 3_600_000)
    expect([await deliver(), await nextDue()]).toEqual([0, undefined])
    hold(false)
    const released = time.clock.now()
    expect(await deliver()).toBe(2)
    expect(out.sent.map(({ url }) => new URL(url).searchParams.get('lead_id'))).toEqual(['b', 'a'])
    expect(await of('b')).toMatchObject([{ attempts: [{ at: released, status: 500 }], due_at: released + 5_000 }])
  })

  it('also stops leased callbacks, which keep their due time, count no attempt and match no fault', async () => {
    const { add, deliver, hold, of, out, faults } = await tenantWith()
    await faults.add({ match: { operation: 'callback' }, effect: { drop: true }, times: 1 })
    await add('c1', 'l1')
    expect([await deliver(() => hold(true)), out.sent.length, faults.list()[0]?.matched]).toEqual([1, 0, 0])
    expect(await of('l1')).toMatchObject([{ state: 'pending', attempts: [], due_at: noon }])
    hold(false)
    await deliver()
    expect(await of('l1')).toMatchObject([{ attempts: [{ at: noon, fault_id: 'f1' }] }])
  })
})

describe('a fault on callbacks', () => {
  const match = { operation: 'callback' } as const

  it.each(['delay', 'reorder'] as const)('postpones a callback once by %s, without counting an attempt', async held => {
    const { add, deliver, faults, of, out, time } = await tenantWith()
    await faults.add({ match, effect: held === 'delay' ? { delay: 'PT60S' } : { reorder: true } })
    await add('c1', 'l1')
    expect([await deliver(), out.sent.length]).toEqual([1, 0])
    expect(await of('l1')).toMatchObject([{ held, due_at: noon + 60_000, attempts: [] }])
    await time.advance(60_000)
    expect([await deliver(), out.sent.length, faults.list()[0]?.matched]).toEqual([1, 1, 1])
    expect((await of('l1'))[0]).not.toHaveProperty('held')
  })

  it('sends a reordered callback after the next one of its lead, without delaying that one too', async () => {
    const { add, deliver, faults, of } = await tenantWith()
    await faults.add({ match, effect: { reorder: true } })
    for (const id of ['c1', 'c2']) await add(id, 'l1')
    await deliver()
    await deliver()
    expect((await of('l1')).map(({ state }) => state)).toEqual(['pending', 'delivered'])
    await deliver()
    expect((await of('l1')).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
    expect(faults.list()).toMatchObject([{ acted: 1 }])
  })

  it('applies other effects to a callback that another one waits for', async () => {
    const { add, deliver, faults, of } = await tenantWith({ callback_retries: [] })
    await faults.add({ match, effect: { reorder: true } })
    await faults.add({ match, effect: { drop: true } })
    for (const id of ['c1', 'c2']) await add(id, 'l1')
    await deliver()
    await deliver()
    expect((await of('l1'))[1]).toMatchObject({ state: 'failed', attempts: [{ fault_id: 'f2' }] })
  })

  it("matches the lead's scenario, and is stored with the attempt", async () => {
    const { add, deliver, faults, of } = await tenantWith()
    await faults.add({ match: { ...match, scenario: 'slow' }, effect: { status: 503 } })
    await faults.add({ match, effect: { duplicate: 2 } })
    await add('c1', 'l1')
    await deliver()
    const [callback] = await of('l1')
    expect(callback?.attempts).toEqual([{ at: noon, ms: 0, status: 200, copies: 2, fault_id: 'f2' }])
  })
})
