import type { AttemptOutcome } from '@lead-distribution/engine'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Lease } from './callback-tables.ts'
import { callbackRecord, openTables, scheduledReport } from './records.fixture.ts'
import type { SandboxCallback } from './records.ts'
import type { SandboxTables } from './sandbox-tables.ts'

let tables: SandboxTables
/** The latest lease of each callback. */
const leases = new Map<string, Lease>()
beforeEach(async () => {
  leases.clear()
  tables = await openTables()
})

async function add(...callbacks: SandboxCallback[]): Promise<void> {
  for (const callback of callbacks) await tables.addCallback(callback)
}

/** Leases due callbacks and returns their ids. */
async function lease(due_by = 1_000, more: { now?: number; until?: number; limit?: number } = {}): Promise<string[]> {
  const leased = await tables.leaseDueCallbacks({ due_by, now: 5_000, until: 6_000, limit: 99, ...more })
  for (const callback of leased) leases.set(callback.callback_id, callback)
  return leased.map(({ callback_id }) => callback_id)
}

const leaseOf = (callback_id: string) => leases.get(callback_id) ?? { leased_until: 1 }

function record(callback_id: string, more: Partial<AttemptOutcome> = {}, leased = leaseOf(callback_id)) {
  const outcome: AttemptOutcome = { callback_id, url: 'x:', attempt: { at: 1, ms: 2 }, state: 'delivered', ...more }
  return tables.recordAttempt(outcome, leased)
}

const postpone = (callback_id: string, held: 'delay' | 'reorder', due_at: number) =>
  tables.postponeCallback({ callback_id, due_at, held }, leaseOf(callback_id))

const find = (callback_id: string) => tables.findCallback(callback_id)

describe('a lease', () => {
  it('covers due callbacks, earliest first, then in insertion order', async () => {
    const due = { c1: 300, c2: 100, c3: 1_001, c4: 200, c5: 100, c6: 1_000, c7: undefined }
    await add(...Object.entries(due).map(([id, due_at]) => callbackRecord(id, `lead of ${id}`, { due_at })))
    expect(await lease(1_000, { limit: 0 })).toEqual([])
    expect(await lease(1_000, { limit: 2 })).toEqual(['c2', 'c5'])
    expect(await lease()).toEqual(['c4', 'c1', 'c6'])
    expect(await lease()).toEqual([])
  })

  it('returns the whole callback', async () => {
    const callback = callbackRecord('c1', 'l1', { attempts: [{ at: 1, status: 500, ms: 3 }] })
    await add(callback)
    const leased = await tables.leaseDueCallbacks({ due_by: 100, now: 0, until: 1, limit: 1 })
    expect(leased).toStrictEqual([{ ...callback, leased_until: 1 }])
    expect(await find('c1')).toStrictEqual(callback)
  })

  it('expires in real time', async () => {
    await add(callbackRecord('c1', 'l1'))
    expect(await lease(100, { until: 6_000 })).toEqual(['c1'])
    expect(await lease(100, { now: 5_999, until: 7_000 })).toEqual([])
    expect(await lease(100, { now: 6_000, until: 7_000 })).toEqual(['c1'])
  })

  it('ends with an attempt, which stores the state, the next due time and the URL', async () => {
    await add(callbackRecord('c1', 'l1'))
    await lease()
    const attempts = [
      { at: 9, status: 500, ms: 1 },
      { at: 10, status: 204, ms: 1 },
    ] as const
    expect(await record('c1', { url: 'y:', attempt: attempts[0], state: 'pending', due_at: 200 })).toBe(true)
    expect(await lease()).toEqual(['c1'])
    expect(await record('c1', { url: 'z:', attempt: attempts[1] })).toBe(true)
    const delivered = callbackRecord('c1', 'l1', { url: 'z:', state: 'delivered', attempts: [...attempts] })
    expect(await find('c1')).toEqual({ ...delivered, due_at: undefined })
    expect(await lease(9_999, { now: 9_999 })).toEqual([])
  })

  it('lets only its own holder store the result (fencing)', async () => {
    await add(callbackRecord('c1', 'l1'))
    await lease(100, { until: 6_000 })
    const stale = leaseOf('c1')
    await lease(100, { now: 6_000, until: 7_000 })
    expect(await record('c1', { state: 'pending', due_at: 900 }, stale)).toBe(false)
    await tables.postponeCallback({ callback_id: 'c1', due_at: 900, held: 'delay' }, stale)
    expect(await find('c1')).toEqual(callbackRecord('c1', 'l1'))
    expect(await lease(100, { now: 6_000 })).toEqual([])
    expect(await record('c1')).toBe(true)
    const delivered = await find('c1')
    expect(delivered).toMatchObject({ state: 'delivered', attempts: [{ at: 1 }] })
    for (const late of [stale, leaseOf('c1')])
      expect(await record('c1', { state: 'pending', due_at: 900 }, late)).toBe(false)
    expect(await find('c1')).toEqual(delivered)
  })

  it('stores nothing for a callback that is gone or finished', async () => {
    const failed = callbackRecord('c1', 'l1', { state: 'failed', due_at: undefined })
    await add(failed)
    for (const id of ['c1', 'nobody']) {
      expect(await record(id)).toBe(false)
      await postpone(id, 'delay', 1)
    }
    await tables.requeueCallback('nobody', 1)
    expect(await tables.listAllCallbacks({ limit: 9 })).toEqual([failed])
  })
})

describe('the order within a lead', () => {
  it('leases only the oldest pending callback', async () => {
    const due = { c1: 500, c2: 100, c3: 50 }
    await add(...Object.entries(due).map(([id, due_at]) => callbackRecord(id, 'l1', { due_at })))
    expect(await lease(400)).toEqual([])
    expect(await lease()).toEqual(['c1'])
    expect(await lease()).toEqual([])
    await record('c1', { state: 'pending', due_at: 2_000 })
    expect(await lease()).toEqual([])
    expect(await lease(2_000)).toEqual(['c1'])
    await record('c1', { state: 'failed' })
    expect(await lease()).toEqual(['c2'])
    await record('c2')
    expect(await lease()).toEqual(['c3'])
  })

  it('blocks later callbacks behind one held as delay', async () => {
    await add(callbackRecord('c1', 'l1'), callbackRecord('c2', 'l1'))
    expect(await lease(100)).toEqual(['c1'])
    await postpone('c1', 'delay', 300)
    expect(await find('c1')).toEqual(callbackRecord('c1', 'l1', { due_at: 300, held: 'delay' }))
    expect(await lease(299)).toEqual([])
    expect(await lease(300)).toEqual(['c1'])
    await record('c1')
    expect(await lease(300)).toEqual(['c2'])
  })

  it('lets the next one overtake a callback held as reorder, which is sent when due', async () => {
    await add(...['c1', 'c2', 'c3'].map(id => callbackRecord(id, 'l1')))
    expect(await lease(100)).toEqual(['c1'])
    await postpone('c1', 'reorder', 300)
    expect(await lease(299)).toEqual(['c2'])
    expect(await lease(300)).toEqual(['c1'])
    await record('c1')
    expect(await lease(300)).toEqual([])
    await record('c2')
    expect(await lease(300)).toEqual(['c3'])
  })

  it('ignores a synthetic callback, which keeps its edits', async () => {
    const synthetic = { copy_of: 'c1', edit: { event: 'unknown' }, bad_signature: true }
    const late = callbackRecord('c1', 'l1', { due_at: 300, synthetic })
    await add(late, callbackRecord('c2', 'l1'), callbackRecord('c3', 'l1', { synthetic: {} }))
    expect(await find('c1')).toEqual(late)
    expect(await lease(299)).toEqual(['c2', 'c3'])
    expect(await lease(300)).toEqual(['c1'])
    await record('c1')
    expect((await find('c1'))?.synthetic).toEqual(synthetic)
  })

  it('puts a requeued callback in its old position', async () => {
    await add(callbackRecord('c1', 'l1'), callbackRecord('c2', 'l1'))
    await lease(100)
    await record('c1')
    await tables.requeueCallback('c1', 500)
    expect(await lease(499)).toEqual([])
    expect(await lease(500)).toEqual(['c1'])
    await record('c1')
    expect(await lease(500)).toEqual(['c2'])
  })
})

describe('a held callback', () => {
  it('loses its hold with the next attempt', async () => {
    await add(callbackRecord('c1', 'l1', { held: 'delay' }))
    await lease(100)
    const attempt = { at: 1, error: 'dropped', ms: 2, copies: 2, fault_id: 'f1' }
    await record('c1', { attempt, state: 'pending', due_at: 700 })
    const { held: _, ...tried } = callbackRecord('c1', 'l1', { url: 'x:', attempts: [attempt], due_at: 700 })
    expect(await find('c1')).toStrictEqual(tried)
  })

  it('is released only if it is pending, belongs to the lead, and is held as reorder', async () => {
    const held = { held: 'reorder', due_at: 900 } as const
    await add(
      callbackRecord('c1', 'l1', held),
      callbackRecord('c2', 'l1', { held: 'delay', due_at: 900 }),
      callbackRecord('c3', 'l1', { due_at: 900 }),
      callbackRecord('c4', 'l2', held),
      callbackRecord('c5', 'l1', { ...held, state: 'delivered' }),
      callbackRecord('c6', 'l1', held),
    )
    await tables.releaseReordered('nobody', 1)
    expect(await lease(899)).toEqual([])
    await tables.releaseReordered('l1', 200)
    expect(await find('c1')).toEqual(callbackRecord('c1', 'l1', { held: 'reorder', due_at: 200 }))
    expect((await find('c5'))?.due_at).toBe(900)
    expect(await lease(899)).toEqual(['c1', 'c6'])
  })

  it('keeps its lease when released, and loses it when postponed', async () => {
    await add(callbackRecord('c1', 'l1', { held: 'reorder' }))
    expect(await lease(100)).toEqual(['c1'])
    await tables.releaseReordered('l1', 50)
    expect(await lease(100)).toEqual([])
    await postpone('c1', 'reorder', 60)
    expect(await lease(100)).toEqual(['c1'])
  })
})

describe('a requeued callback', () => {
  const attempts = [
    { at: 1, status: 500, ms: 3 },
    { at: 2, error: 'timeout', ms: 3 },
  ]

  it.each(['pending', 'delivered', 'failed'] as const)(
    'while %s becomes pending and keeps its attempts',
    async state => {
      await add(callbackRecord('c1', 'l1', { state, attempts, held: 'reorder', due_at: 900 }))
      await tables.requeueCallback('c1', 200)
      const { held: _, ...anew } = callbackRecord('c1', 'l1', { attempts, due_at: 200, resent_after: 2 })
      expect(await find('c1')).toStrictEqual(anew)
      expect(await lease(199)).toEqual([])
      expect(await lease(200)).toEqual(['c1'])
      await record('c1')
      expect(await find('c1')).toMatchObject({ state: 'delivered', resent_after: 2, attempts: [{}, {}, {}] })
    },
  )

  it.each(['delivered', 'failed', 'pending'] as const)(
    'during an attempt stays pending, even if the attempt was %s',
    async state => {
      await add(callbackRecord('c1', 'l1', { attempts }))
      await lease()
      await tables.requeueCallback('c1', 300)
      expect(await lease()).toEqual([])
      expect(await record('c1', { state, due_at: 999 })).toBe(true)
      const tried = [...attempts, { at: 1, ms: 2 }]
      const next = callbackRecord('c1', 'l1', { url: 'x:', attempts: tried, due_at: 300, resent_after: 3 })
      expect(await find('c1')).toEqual(next)
      expect(await lease()).toEqual(['c1'])
      expect(await record('c1')).toBe(true)
      expect(await find('c1')).toMatchObject({ state: 'delivered', resent_after: 3 })
    },
  )
})

describe('the next due time', () => {
  it('ignores finished callbacks, and those that wait for an older one of their lead', async () => {
    expect(await tables.nextCallbackDue()).toBeUndefined()
    await add(callbackRecord('c1', 'l1', { due_at: 500 }), callbackRecord('c2', 'l1', { due_at: 100 }))
    expect(await tables.nextCallbackDue()).toBe(500)
    await add(callbackRecord('c3', 'l1', { due_at: 400, held: 'reorder' }), callbackRecord('c4', 'l4', { due_at: 300 }))
    expect(await tables.nextCallbackDue()).toBe(300)
    await lease()
    for (const id of ['c4', 'c3']) await record(id)
    expect(await tables.nextCallbackDue()).toBe(500)
    await record('c1')
    expect(await tables.nextCallbackDue()).toBe(100)
    await lease()
    await record('c2', { state: 'failed' })
    expect(await tables.nextCallbackDue()).toBeUndefined()
  })

  it('is the first after a time, leased or not', async () => {
    const due = { c1: 100, c2: 300, c3: undefined }
    await add(...Object.entries(due).map(([id, due_at]) => callbackRecord(id, id, { due_at })))
    const next = () => Promise.all([99, 100, 299, 300].map(time => tables.nextCallbackDue(time)))
    expect(await next()).toEqual([100, 300, 300, undefined])
    await lease(300)
    expect(await next()).toEqual([100, 300, 300, undefined])
  })
})

it('moves only callbacks and reports that are due after a time', async () => {
  await add(callbackRecord('c1', 'l1'), callbackRecord('c2', 'l2', { due_at: 101 }))
  await add(callbackRecord('c3', 'l3', { due_at: 900, held: 'delay' }))
  await add(callbackRecord('c4', 'l4', { due_at: undefined }))
  await add(callbackRecord('c5', 'l5', { due_at: 900, state: 'failed' }))
  for (const [id, due_at] of [
    ['r1', 100],
    ['r2', 101],
  ] as const)
    await tables.addReport(scheduledReport(id, { due_at }))
  await tables.bringForward(60, 100)
  const dues = await Promise.all(['c1', 'c2', 'c3', 'c4', 'c5'].map(async id => (await find(id))?.due_at))
  expect(dues).toEqual([100, 41, 840, undefined, 900])
  expect(await lease(100)).toEqual(['c2', 'c1'])
  const reports = await tables.listDueReports(1_000, 9)
  expect(reports.map(({ report_id, due_at }) => [report_id, due_at])).toEqual([
    ['r2', 41],
    ['r1', 100],
  ])
})

const tried = (at: number) => ({ attempts: [1, at].map(at => ({ at, ms: 2 })) })

it.each<[string, before: Partial<SandboxCallback>, due: number | undefined]>([
  ['due before', { due_at: 200 }, 200],
  ['not attempted yet', { due_at: 201 }, 200],
  ['a retry that was not affected', { due_at: 900, ...tried(200) }, 900],
  ['a retry of an attempt in the future', { due_at: 900, ...tried(700) }, 400],
  ['resent, and not attempted since', { due_at: 900, ...tried(150), resent_after: 2 }, 200],
  ['resent, and attempted since', { due_at: 900, ...tried(700), resent_after: 1 }, 400],
  ['held', { due_at: 900, held: 'delay' }, 900],
  ['synthetic', { due_at: 900, synthetic: {} }, 900],
  ['not due', { due_at: undefined }, undefined],
])('corrects due times after the clock was set back: %s', async (_title, before, due) => {
  await add(callbackRecord('c1', 'l1', before))
  await tables.limitRetries(200)
  expect((await find('c1'))?.due_at).toBe(due)
})

describe('a list', () => {
  beforeEach(() =>
    add(
      callbackRecord('c1', 'l1', { state: 'delivered', due_at: undefined }),
      callbackRecord('c3', 'l1', { attempts: [{ at: 1, error: 'timeout', ms: 3 }] }),
      callbackRecord('c2', 'l2', { state: 'failed', due_at: undefined }),
      callbackRecord('c4', 'l1', { state: 'delivered', due_at: undefined }),
      callbackRecord('c5', 'l2', { due_at: 50, held: 'delay', resent_after: 0 }),
    ),
  )
  const idsOf = async (list: Promise<SandboxCallback[]>) => (await list).map(({ callback_id }) => callback_id)

  it.each<[string, Omit<Parameters<SandboxTables['listAllCallbacks']>[0], 'limit'> & { limit?: number }, string[]]>([
    ['all', {}, ['c5', 'c4', 'c3', 'c2', 'c1']],
    ['a page', { limit: 3 }, ['c5', 'c4', 'c3']],
    ['the page after it', { limit: 3, before: 'c3' }, ['c2', 'c1']],
    ['an empty page', { limit: 0 }, []],
    ['a lead', { lead_id: 'l1' }, ['c4', 'c3', 'c1']],
    ['a page of a lead', { lead_id: 'l1', before: 'c4', limit: 1 }, ['c3']],
    ['no lead', { lead_id: 'nobody' }, []],
    ['a state', { state: 'delivered' }, ['c4', 'c1']],
    ['a page of a state', { state: 'pending', before: 'c5' }, ['c3']],
    ['a lead and a state', { lead_id: 'l2', state: 'failed' }, ['c2']],
    ['a lead without the state', { lead_id: 'l2', state: 'delivered' }, []],
  ])('returns the newest first: %s', async (_title, filter, expected) => {
    expect(await idsOf(tables.listAllCallbacks({ limit: 99, ...filter }))).toEqual(expected)
  })

  it('of leads is in insertion order; one of pending callbacks is by due time', async () => {
    expect(await idsOf(tables.listCallbacks('l1'))).toEqual(['c1', 'c3', 'c4'])
    expect(await idsOf(tables.listCallbacks('l1', 'l2'))).toEqual(['c1', 'c3', 'c4', 'c2', 'c5'])
    expect(await idsOf(tables.listCallbacks('l3', 'l9'))).toEqual([])
    expect(await idsOf(tables.listPendingCallbacks(9))).toEqual(['c5', 'c3'])
    expect(await idsOf(tables.listPendingCallbacks(1))).toEqual(['c5'])
  })

  it('contains no leases', async () => {
    await lease()
    for (const list of [
      tables.listAllCallbacks({ limit: 1 }),
      tables.listCallbacks('l2'),
      tables.listPendingCallbacks(9),
    ])
      expect(await list).toContainEqual(callbackRecord('c5', 'l2', { due_at: 50, held: 'delay', resent_after: 0 }))
  })
})

describe('counts', () => {
  it('include pending callbacks', async () => {
    expect(await tables.countPendingCallbacks()).toBe(0)
    await add(callbackRecord('c1', 'l1'), callbackRecord('c2', 'l1'), callbackRecord('c3', 'l2', { due_at: undefined }))
    expect(await tables.countPendingCallbacks()).toBe(3)
    await lease()
    await record('c1')
    expect(await tables.countPendingCallbacks()).toBe(2)
  })

  it('group by state: pending callbacks of any age, others by their last attempt', async () => {
    const tried = (...times: number[]) => ({ attempts: times.map(at => ({ at, ms: 1 })), due_at: undefined })
    await add(
      callbackRecord('c1', 'l1', { state: 'delivered', ...tried(10, 99) }),
      callbackRecord('c2', 'l1', { state: 'delivered', ...tried(10, 120) }),
      callbackRecord('c3', 'l1', { state: 'failed', ...tried(100) }),
      callbackRecord('c4', 'l2', { state: 'delivered', ...tried(110) }),
      callbackRecord('c5', 'l2', { attempts: [{ at: 50, ms: 1 }] }),
      callbackRecord('c6', 'l2'),
    )
    const count = async (rows: number) =>
      (await tables.countCallbacks({ from: 100, rows })).toSorted((one, two) => (one.state < two.state ? -1 : 1))
    expect(await count(99)).toStrictEqual([
      { state: 'delivered', count: 2, first: 110 },
      { state: 'failed', count: 1, first: 100 },
      { state: 'pending', count: 2, first: 50 },
    ])
    expect(await count(1)).toStrictEqual([{ state: 'pending', count: 1 }])
  })
})
