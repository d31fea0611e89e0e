import type { AttemptOutcome, Storage } from '@lead-distribution/engine'
import type { Lease, SandboxCallback, SandboxTables } from '@lead-distribution/simulator'
import { beforeEach, describe, expect, it } from 'vitest'
import { adapters, callbackRecord, scheduledReport, twoTenants } from './storage.fixture.ts'

describe.each(Object.entries(adapters))('callbacks that were put off or sent anew: %s', (_name, open) => {
  let storage: Storage<SandboxTables>
  let other: Storage<SandboxTables>
  const leases = new Map<string, Lease>()
  beforeEach(async () => {
    leases.clear()
    ;[storage, other] = await twoTenants(open)
  })

  const add = (...callbacks: SandboxCallback[]) =>
    storage.transact(async tables => {
      for (const callback of callbacks) await tables.addCallback(callback)
    })
  const lease = async (due_by: number, now = 5_000) => {
    const asked = { due_by, now, until: 6_000, limit: 99 }
    const leased = await storage.transact(tables => tables.leaseDueCallbacks(asked))
    for (const callback of leased) leases.set(callback.callback_id, callback)
    return leased.map(({ callback_id }) => callback_id)
  }
  /** The lease of a callback, which ends; takes one where the test has none. */
  const leaseOf = async (callback_id: string) => {
    if (!leases.has(callback_id)) await lease(9_999)
    const leased = leases.get(callback_id) ?? { leased_until: 1 }
    leases.delete(callback_id)
    return leased
  }
  const find = (callback_id: string) => storage.transact(tables => tables.findCallback(callback_id))
  const postpone = async (callback_id: string, held: 'delay' | 'reorder', due_at: number) => {
    const leased = await leaseOf(callback_id)
    await storage.transact(tables => tables.postponeCallback({ callback_id, due_at, held }, leased))
  }
  const record = async (callback_id: string, more: Partial<AttemptOutcome> = {}) => {
    const attempt = { at: 1, status: 200, ms: 2 }
    const outcome: AttemptOutcome = { callback_id, url: 'x:', attempt, state: 'delivered', ...more }
    const leased = await leaseOf(callback_id)
    await storage.transact(tables => tables.recordAttempt(outcome, leased))
  }
  const requeue = (callback_id: string, due_at: number) =>
    storage.transact(tables => tables.requeueCallback(callback_id, due_at))
  const release = (lead_id: string, due_at: number) =>
    storage.transact(tables => tables.releaseReordered(lead_id, due_at))
  const nextDue = () => storage.transact(tables => tables.nextCallbackDue())
  const pending = () => storage.transact(tables => tables.countPendingCallbacks())

  it('keeps the order of a lead behind one that is held to come late', async () => {
    await add(callbackRecord('c1', 'l1'), callbackRecord('c2', 'l1'))
    expect(await lease(100)).toEqual(['c1'])
    await postpone('c1', 'delay', 300)
    expect(await find('c1')).toEqual(callbackRecord('c1', 'l1', { due_at: 300, held: 'delay' }))
    expect(await lease(299)).toEqual([])
    expect(await nextDue()).toBe(300)
    expect(await lease(300)).toEqual(['c1'])
    await record('c1')
    expect(await lease(300)).toEqual(['c2'])
  })

  it('lets the next of a lead pass one that is held as reorder, which goes when it is due', async () => {
    await add(callbackRecord('c1', 'l1'), callbackRecord('c2', 'l1'), callbackRecord('c3', 'l1'))
    expect(await lease(100)).toEqual(['c1'])
    await postpone('c1', 'reorder', 300)
    expect(await nextDue()).toBe(100)
    expect(await lease(299)).toEqual(['c2'])
    expect(await lease(300)).toEqual(['c1'])
    await record('c1')
    expect(await lease(300)).toEqual([])
    await record('c2')
    expect(await lease(300)).toEqual(['c3'])
  })

  it('gives a synthetic one when it is due, before and behind others of its lead, and keeps how it differs', async () => {
    const synthetic = { copy_of: 'c1', edit: { event: 'unknown' }, bad_signature: true }
    const late = callbackRecord('c1', 'l1', { due_at: 300, synthetic })
    await add(late, callbackRecord('c2', 'l1'), callbackRecord('c3', 'l1', { synthetic: {} }))
    expect(await find('c1')).toEqual(late)
    await storage.transact(tables => tables.limitRetries(200))
    expect(await lease(299)).toEqual(['c2', 'c3'])
    expect(await lease(300)).toEqual(['c1'])
    await record('c1')
    expect((await find('c1'))?.synthetic).toEqual(synthetic)
  })

  it('says when one that is held as reorder is due, also behind an older one', async () => {
    await add(callbackRecord('c1', 'l1', { due_at: 500 }), callbackRecord('c2', 'l1', { due_at: 200 }))
    expect(await nextDue()).toBe(500)
    await add(callbackRecord('c3', 'l1', { due_at: 400, held: 'reorder' }))
    expect(await nextDue()).toBe(400)
    expect(await lease(400)).toEqual(['c3'])
    expect(await lease(500)).toEqual(['c1'])
  })

  it('makes those of a lead due that are held as reorder, and no others', async () => {
    const held = { held: 'reorder', due_at: 900 } as const
    await add(
      callbackRecord('c1', 'l1', held),
      callbackRecord('c2', 'l1', { held: 'delay', due_at: 900 }),
      callbackRecord('c3', 'l1', { due_at: 900 }),
      callbackRecord('c4', 'l2', held),
      callbackRecord('c5', 'l1', { ...held, state: 'delivered' }),
      callbackRecord('c6', 'l1', held),
    )
    await other.transact(tables => tables.releaseReordered('l1', 1))
    await release('nobody', 1)
    expect(await lease(899)).toEqual([])
    await release('l1', 200)
    expect(await find('c1')).toEqual(callbackRecord('c1', 'l1', { held: 'reorder', due_at: 200 }))
    expect((await find('c5'))?.due_at).toBe(900)
    expect(await nextDue()).toBe(200)
    expect(await lease(899)).toEqual(['c1', 'c6'])
  })

  it('does not end a lease by a release, but does by putting off', async () => {
    await add(callbackRecord('c1', 'l1', { held: 'reorder' }))
    expect(await lease(100)).toEqual(['c1'])
    await release('l1', 50)
    expect(await lease(100)).toEqual([])
    await postpone('c1', 'reorder', 60)
    expect(await lease(100)).toEqual(['c1'])
  })

  it('forgets what held a callback with its next try', async () => {
    await add(callbackRecord('c1', 'l1', { held: 'delay' }))
    const attempt = { at: 1, error: 'dropped', ms: 2, copies: 2, fault_id: 'f1' }
    await record('c1', { attempt, state: 'pending', due_at: 700 })
    const { held: _, ...tried } = callbackRecord('c1', 'l1', { url: 'x:', attempts: [attempt], due_at: 700 })
    expect(await find('c1')).toStrictEqual(tried)
  })

  it('takes no notice of putting off or sending anew what is not there, or is done', async () => {
    await postpone('nobody', 'delay', 1)
    await requeue('nobody', 1)
    await add(callbackRecord('c1', 'l1', { state: 'failed', due_at: undefined }))
    await postpone('c1', 'delay', 1)
    expect(await find('c1')).toEqual(callbackRecord('c1', 'l1', { state: 'failed', due_at: undefined }))
    expect(await nextDue()).toBeUndefined()
  })

  it.each(['pending', 'delivered', 'failed'] as const)('sends one anew that is %s, its tries kept', async state => {
    const attempts = [
      { at: 1, status: 500, ms: 3 },
      { at: 2, error: 'timeout', ms: 3 },
    ]
    await add(callbackRecord('c1', 'l1', { state, attempts, held: 'reorder', due_at: 900 }))
    await requeue('c1', 200)
    const { held: _, ...anew } = callbackRecord('c1', 'l1', { attempts, due_at: 200, resent_after: 2 })
    expect(await find('c1')).toStrictEqual(anew)
    expect(await pending()).toBe(1)
    expect(await lease(199)).toEqual([])
    expect(await lease(200)).toEqual(['c1'])
  })

  it('keeps how many tries there were before a callback was sent anew', async () => {
    await add(callbackRecord('c1', 'l1'))
    await record('c1', { state: 'failed' })
    await requeue('c1', 200)
    await record('c1')
    expect(await find('c1')).toMatchObject({ state: 'delivered', resent_after: 1, attempts: [{}, {}] })
  })

  it('puts one that is sent anew back at its place in the order of its lead', async () => {
    await add(callbackRecord('c1', 'l1'), callbackRecord('c2', 'l1'))
    await record('c1')
    await requeue('c1', 500)
    expect(await lease(499)).toEqual([])
    expect(await lease(500)).toEqual(['c1'])
    await record('c1')
    expect(await lease(500)).toEqual(['c2'])
  })

  it('says when the next one is due after a time, leased or not', async () => {
    await add(callbackRecord('c1', 'l1', { due_at: 100 }), callbackRecord('c2', 'l2', { due_at: 300 }))
    await add(callbackRecord('c3', 'l2', { due_at: 200 }), callbackRecord('c4', 'l3', { due_at: undefined }))
    const after = (time: number) => storage.transact(tables => tables.nextCallbackDue(time))
    expect([await after(99), await after(100), await after(299), await after(300)]).toEqual([100, 300, 300, undefined])
    await lease(300)
    expect(await after(99)).toBe(100)
    await storage.transact(tables => tables.addReport(scheduledReport('r1', { due_at: 50 })))
    const report = (time?: number) => storage.transact(tables => tables.nextReportDue(time))
    expect([await report(), await report(49), await report(50)]).toEqual([50, 50, undefined])
  })

  it('brings forward only what is due after a time, callbacks and reports', async () => {
    await add(callbackRecord('c1', 'l1', { due_at: 100 }), callbackRecord('c2', 'l2', { due_at: 101 }))
    await add(
      callbackRecord('c3', 'l3', { due_at: 900, held: 'delay' }),
      callbackRecord('c4', 'l4', { due_at: undefined }),
    )
    await add(callbackRecord('c5', 'l5', { due_at: 900, state: 'failed' }))
    await other.transact(tables => tables.bringForward(60, 0))
    await storage.transact(async tables => {
      for (const [id, due_at] of [
        ['r1', 100],
        ['r2', 101],
      ] as const)
        await tables.addReport(scheduledReport(id, { due_at }))
      await tables.bringForward(60, 100)
    })
    const dues = await Promise.all(['c1', 'c2', 'c3', 'c4', 'c5'].map(async id => (await find(id))?.due_at))
    expect(dues).toEqual([100, 41, 840, undefined, 900])
    expect(await lease(100)).toEqual(['c2', 'c1'])
    const reports = await storage.transact(tables => tables.listDueReports(1_000, 9))
    expect(reports.map(({ report_id, due_at }) => [report_id, due_at])).toEqual([
      ['r2', 41],
      ['r1', 100],
    ])
  })

  it('makes nothing wait longer because the clock was set back, but what a fault holds', async () => {
    const tried = (at: number, error = 'timeout') => ({
      attempts: [
        { at: 1, ms: 2 },
        { at, ms: 2, error },
      ],
    })
    const odd = '\0 "at":9 \\ [{ \ud800 \u2028'
    const rows: Record<string, [before: Partial<SandboxCallback>, due: number | undefined]> = {
      'due before': [{ due_at: 200 }, 200],
      'not tried yet': [{ due_at: 201 }, 200],
      'a retry that was not affected': [{ due_at: 900, ...tried(200) }, 900],
      'a retry of a later time': [{ due_at: 900, ...tried(700) }, 400],
      'a retry, its last error odd': [{ due_at: 900, ...tried(700, odd) }, 400],
      'sent again, and not tried since': [{ due_at: 900, ...tried(150), resent_after: 2 }, 200],
      'sent again, and tried since': [{ due_at: 900, ...tried(700), resent_after: 1 }, 400],
      held: [{ due_at: 900, held: 'delay' }, 900],
      synthetic: [{ due_at: 900, synthetic: {} }, 900],
      'not due': [{ due_at: undefined }, undefined],
    }
    await add(...Object.entries(rows).map(([name, [before]], index) => callbackRecord(name, `l${index}`, before)))
    await storage.transact(tables => tables.limitRetries(200))
    await other.transact(tables => tables.limitRetries(1))
    for (const [name, [, due]] of Object.entries(rows)) expect([name, (await find(name))?.due_at]).toEqual([name, due])
  })

  it('counts what is pending', async () => {
    expect(await pending()).toBe(0)
    await add(callbackRecord('c1', 'l1'), callbackRecord('c2', 'l1'), callbackRecord('c3', 'l2', { due_at: undefined }))
    expect(await pending()).toBe(3)
    await record('c1')
    expect(await pending()).toBe(2)
    await requeue('c1', 1)
    expect(await pending()).toBe(3)
    expect(await other.transact(tables => tables.countPendingCallbacks())).toBe(0)
  })

  it('finds only a callback of its own tenant', async () => {
    await add(callbackRecord('c1', 'l1'))
    expect(await find('c1')).toStrictEqual(callbackRecord('c1', 'l1'))
    expect(await other.transact(tables => tables.findCallback('c1'))).toBeUndefined()
  })

  it('keeps an attempt that is recorded while the callbacks of its lead are released, a little sooner or later', async () => {
    const attempt = { at: 1, status: 200, ms: 1 }
    for (let later = 0; later < 12; later++) {
      const callback_id = `c${later}`
      await storage.transact(tables => tables.addCallback(callbackRecord(callback_id, 'l1', { held: 'reorder' })))
      await storage.transact(tables => tables.leaseDueCallbacks({ due_by: 100, now: 0, until: 1_000, limit: 1 }))
      const outcome = { callback_id, url: 'x:', attempt, state: 'delivered' } as const
      await Promise.all([
        storage.transact(tables => tables.recordAttempt(outcome, { leased_until: 1_000 })),
        storage.transact(async tables => {
          for (let turn = 0; turn < later; turn++) await undefined
          await tables.releaseReordered('l1', 5)
        }),
      ])
      const callback = await storage.read(tables => tables.findCallback(callback_id))
      expect(callback).toMatchObject({ state: 'delivered', attempts: [attempt] })
    }
  })
})
