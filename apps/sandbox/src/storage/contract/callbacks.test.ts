import type { AttemptOutcome, Storage } from '@lead-distribution/engine'
import type { Lease, SandboxCallback, SandboxTables } from '@lead-distribution/simulator'
import { beforeEach, describe, expect, it } from 'vitest'
import { adapters, callbackRecord, twoTenants } from './storage.fixture.ts'

describe.each(Object.entries(adapters))('callbacks: %s', (_name, open) => {
  let storage: Storage<SandboxTables>
  let other: Storage<SandboxTables>
  /** The lease that each callback was given last. */
  const leases = new Map<string, Lease>()
  beforeEach(async () => {
    leases.clear()
    ;[storage, other] = await twoTenants(open)
  })

  const add = (...callbacks: SandboxCallback[]) =>
    storage.transact(async tables => {
      for (const callback of callbacks) await tables.addCallback(callback)
    })
  const lease = async (more: Partial<Parameters<SandboxTables['leaseDueCallbacks']>[0]> = {}, place = storage) => {
    const leased = await place.transact(tables =>
      tables.leaseDueCallbacks({ due_by: 1_000, now: 5_000, until: 6_000, limit: 99, ...more }),
    )
    for (const callback of leased) leases.set(callback.callback_id, callback)
    return leased.map(({ callback_id }) => callback_id)
  }
  const noLease: Lease = { leased_until: 1 }
  const leaseOf = (callback_id: string) => leases.get(callback_id) ?? noLease
  const record = (callback_id: string, more: Partial<AttemptOutcome> = {}, leased = leaseOf(callback_id)) => {
    const outcome: AttemptOutcome = { callback_id, url: 'x:', attempt: { at: 1, ms: 2 }, state: 'delivered', ...more }
    return storage.transact(tables => tables.recordAttempt(outcome, leased))
  }
  const find = (callback_id: string) => storage.transact(tables => tables.findCallback(callback_id))
  const nextDue = (place = storage) => place.transact(tables => tables.nextCallbackDue())

  it('lists the callbacks of a lead in the order of adding, as they were', async () => {
    const { due_at: _, ...done } = callbackRecord('c0', 'l1', {
      state: 'delivered',
      attempts: [{ at: 1, status: 200, ms: 3 }],
    })
    const pending = callbackRecord('c1', 'l1', { attempts: [{ at: 1, error: 'timeout ñ\ud800', ms: 3 }], due_at: 7 })
    await add(pending, callbackRecord('c2', 'l2'), done)
    expect(await storage.transact(tables => tables.listCallbacks('l1'))).toEqual([pending, done])
    expect(await other.transact(tables => tables.listCallbacks('l1'))).toEqual([])
  })

  it('gives what is due, earliest first, equal times in the order of adding', async () => {
    const due = { c1: 300, c2: 100, c3: 1_001, c4: 200, c5: 100, c6: 1_000 }
    await add(...Object.entries(due).map(([id, due_at]) => callbackRecord(id, `lead of ${id}`, { due_at })))
    expect(await lease({ limit: 2 })).toEqual(['c2', 'c5'])
    expect(await lease()).toEqual(['c4', 'c1', 'c6'])
    expect(await lease()).toEqual([])
  })

  it('gives a callback with all that it has', async () => {
    await add(callbackRecord('c1', 'l1', { attempts: [{ at: 1, status: 500, ms: 3 }] }))
    const leased = await storage.transact(tables =>
      tables.leaseDueCallbacks({ due_by: 100, now: 0, until: 1, limit: 1 }),
    )
    const callback = callbackRecord('c1', 'l1', { attempts: [{ at: 1, status: 500, ms: 3 }] })
    expect(leased).toStrictEqual([{ ...callback, leased_until: 1 }])
  })

  it('gives nothing where nothing is asked for', async () => {
    await add(callbackRecord('c1', 'l1'))
    expect(await lease({ limit: 0 })).toEqual([])
  })

  it('gives a callback to one of those that ask at once', async () => {
    await add(...Array.from({ length: 10 }, (_, n) => callbackRecord(`c${n}`, `l${n}`)))
    const given = await Promise.all(Array.from({ length: 8 }, () => lease({ limit: 3 })))
    expect(given.flat().sort()).toEqual(Array.from({ length: 10 }, (_, n) => `c${n}`))
  })

  it('gives a callback again when its lease is over, on real time', async () => {
    await add(callbackRecord('c1', 'l1'))
    expect(await lease({ until: 6_000 })).toEqual(['c1'])
    expect(await lease({ now: 5_999, until: 7_000 })).toEqual([])
    expect(await lease({ now: 6_000, until: 7_000 })).toEqual(['c1'])
  })

  it('gives of one lead only the oldest pending callback', async () => {
    await add(
      callbackRecord('c1', 'l1', { due_at: 500 }),
      callbackRecord('c2', 'l1', { due_at: 100 }),
      callbackRecord('c3', 'l1', { due_at: 50 }),
    )
    expect(await lease({ due_by: 400 })).toEqual([])
    expect(await lease()).toEqual(['c1'])
    expect(await lease()).toEqual([])
    await record('c1', { state: 'pending', due_at: 2_000 })
    expect(await lease()).toEqual([])
    expect(await lease({ due_by: 2_000 })).toEqual(['c1'])
    await record('c1', { state: 'failed' })
    expect(await lease()).toEqual(['c2'])
    await record('c2')
    expect(await lease()).toEqual(['c3'])
  })

  it('records a try: state, next time, address, and the end of the lease', async () => {
    await add(callbackRecord('c1', 'l1'))
    await lease()
    await record('c1', { url: 'y:', attempt: { at: 9, status: 500, ms: 1 }, state: 'pending', due_at: 200 })
    expect(await lease()).toEqual(['c1'])
    await record('c1', { url: 'z:', attempt: { at: 10, status: 204, ms: 1 } })
    const [callback] = await storage.transact(tables => tables.listCallbacks('l1'))
    const attempts = [
      { at: 9, status: 500, ms: 1 },
      { at: 10, status: 204, ms: 1 },
    ]
    expect(callback).toEqual(callbackRecord('c1', 'l1', { url: 'z:', state: 'delivered', attempts, due_at: undefined }))
    expect(await lease({ due_by: 9_999, now: 9_999 })).toEqual([])
  })

  it('takes no notice of a try of a callback that is not there', async () => {
    expect(await record('nobody')).toBe(false)
    expect(await storage.transact(tables => tables.listCallbacks('nobody'))).toEqual([])
  })

  it('stores the result of the delivery that has the lease, and of no earlier one', async () => {
    await add(callbackRecord('c1', 'l1'))
    await lease({ until: 6_000 })
    const stale = leaseOf('c1')
    await lease({ now: 6_000, until: 7_000 })
    expect(await record('c1', { state: 'pending', due_at: 900 }, stale)).toBe(false)
    await storage.transact(tables => tables.postponeCallback({ callback_id: 'c1', due_at: 900, held: 'delay' }, stale))
    expect(await find('c1')).toEqual(callbackRecord('c1', 'l1'))
    expect(await lease({ now: 6_000 })).toEqual([])
    expect(await record('c1')).toBe(true)
    const delivered = await find('c1')
    expect(delivered).toMatchObject({ state: 'delivered', attempts: [{ at: 1 }] })
    for (const late of [stale, leaseOf('c1')])
      expect(await record('c1', { state: 'pending', due_at: 900 }, late)).toBe(false)
    expect(await find('c1')).toEqual(delivered)
  })

  it.each(['delivered', 'failed', 'pending'] as const)(
    'keeps one pending that is requeued during a try, whose end is %s',
    async state => {
      await add(callbackRecord('c1', 'l1', { attempts: [{ at: 0, status: 500, ms: 1 }] }))
      await lease()
      await storage.transact(tables => tables.requeueCallback('c1', 300))
      expect(await lease()).toEqual([])
      expect(await record('c1', { state, due_at: 999 })).toBe(true)
      const attempts = [
        { at: 0, status: 500, ms: 1 },
        { at: 1, ms: 2 },
      ]
      expect(await find('c1')).toEqual(
        callbackRecord('c1', 'l1', { url: 'x:', attempts, due_at: 300, resent_after: attempts.length }),
      )
      expect(await lease()).toEqual(['c1'])
      expect(await record('c1')).toBe(true)
      expect(await find('c1')).toMatchObject({ state: 'delivered', resent_after: 2 })
    },
  )

  it('says when the next callback is due, held-up and done ones left aside', async () => {
    expect(await nextDue()).toBeUndefined()
    await add(callbackRecord('c1', 'l1', { due_at: 500 }), callbackRecord('c2', 'l1', { due_at: 100 }))
    expect(await nextDue()).toBe(500)
    await add(callbackRecord('c3', 'l2', { due_at: 300 }))
    expect(await nextDue()).toBe(300)
    await lease()
    await record('c3')
    await record('c1')
    expect(await nextDue()).toBe(100)
    await lease()
    await record('c2', { state: 'failed' })
    expect(await nextDue()).toBeUndefined()
  })

  it('never gives a pending callback that has no time', async () => {
    await add(callbackRecord('c1', 'l1', { due_at: undefined }))
    expect(await lease()).toEqual([])
    expect(await nextDue()).toBeUndefined()
  })

  it('keeps tenants apart', async () => {
    await add(callbackRecord('c1', 'l1'))
    expect(await lease({}, other)).toEqual([])
    expect(await nextDue(other)).toBeUndefined()
    await other.transact(tables => tables.addCallback(callbackRecord('c1', 'l1')))
    await lease()
    await record('c1')
    expect(await lease({}, other)).toEqual(['c1'])
  })
})
