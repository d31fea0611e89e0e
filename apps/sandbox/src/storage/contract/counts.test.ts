import type { Storage } from '@lead-distribution/engine'
import type { SandboxTables } from '@lead-distribution/simulator'
import { beforeEach, describe, expect, it } from 'vitest'
import { adapters, callbackRecord, leadRecord, twoTenants } from './storage.fixture.ts'

describe.each(Object.entries(adapters))('counts of what is new: %s', (_name, open) => {
  let storage: Storage<SandboxTables>
  let other: Storage<SandboxTables>
  beforeEach(async () => {
    ;[storage, other] = await twoTenants(open)
  })

  it('counts leads by time span, status and reason, only of their own tenant', async () => {
    const rejected = { status: 'rejected', rejection_reason: 'age_restriction' } as const
    await storage.transact(async tables => {
      await tables.addLead(leadRecord('l1', { received_at: 99 }))
      await tables.addLead(leadRecord('l2', { received_at: 100 }))
      // Came in just before the one behind it, and was added just after.
      await tables.addLead(leadRecord('l4', { received_at: 109, ...rejected }))
      await tables.addLead(leadRecord('l3', { received_at: 108, ...rejected }))
      await tables.addLead(leadRecord('l5', { received_at: 109, status: 'rejected', rejection_reason: 'blacklisted' }))
      await tables.addLead(leadRecord('l6', { received_at: 110, status: 'new' }))
      await tables.addLead(leadRecord('l7', { received_at: 129, status: 'new' }))
    })
    const count = async (rows: number, place = storage) =>
      (await place.read(tables => tables.countLeads({ from: 100, span: 10, rows }))).toSorted(
        (one, two) =>
          one.span - two.span || one.first - two.first || (one.reason ?? '').localeCompare(two.reason ?? ''),
      )
    const age = { span: 0, status: 'rejected', reason: 'age_restriction' }
    const blacklisted = { span: 0, status: 'rejected', reason: 'blacklisted', count: 1, first: 109 }
    const later = [
      { span: 1, status: 'new', count: 1, first: 110 },
      { span: 2, status: 'new', count: 1, first: 129 },
    ]
    expect(await count(99)).toStrictEqual([
      { span: 0, status: 'distributed', count: 1, first: 100 },
      { ...age, count: 2, first: 108 },
      blacklisted,
      ...later,
    ])
    // The newest four are looked at, and no others.
    expect(await count(4)).toStrictEqual([{ ...age, count: 1, first: 109 }, blacklisted, ...later])
    expect(await count(99, other)).toEqual([])
  })

  it('counts callbacks by state: pending ones of any age, the others by their last attempt', async () => {
    const tried = (...times: number[]) => ({ attempts: times.map(at => ({ at, ms: 1 })), due_at: undefined })
    await storage.transact(async tables => {
      await tables.addCallback(callbackRecord('c1', 'l1', { state: 'delivered', ...tried(10, 99) }))
      await tables.addCallback(callbackRecord('c2', 'l1', { state: 'delivered', ...tried(10, 120) }))
      await tables.addCallback(callbackRecord('c3', 'l1', { state: 'failed', ...tried(100) }))
      await tables.addCallback(callbackRecord('c4', 'l2', { state: 'delivered', ...tried(110) }))
      await tables.addCallback(callbackRecord('c5', 'l2', { attempts: [{ at: 50, ms: 1 }] }))
      await tables.addCallback(callbackRecord('c6', 'l2'))
    })
    const count = async (rows: number, place = storage) =>
      (await place.read(tables => tables.countCallbacks({ from: 100, rows }))).toSorted((one, two) =>
        one.state < two.state ? -1 : 1,
      )
    expect(await count(99)).toStrictEqual([
      { state: 'delivered', count: 2, first: 110 },
      { state: 'failed', count: 1, first: 100 },
      { state: 'pending', count: 2, first: 50 },
    ])
    expect(await count(1)).toStrictEqual([{ state: 'pending', count: 1 }])
    expect(await count(99, other)).toEqual([])
  })

  it('counts callbacks whose last attempt has an odd error', async () => {
    const errors = ['\0', '\\\0', '\ud800', '\udfff"at":1', '"},{"at":5,"x":"', '\\u0000', '\u2028', '\ufffe0']
    await storage.transact(async tables => {
      for (const [index, error] of errors.entries())
        await tables.addCallback(
          callbackRecord(`c${index}`, 'l1', {
            state: 'failed',
            attempts: [
              { at: 1, ms: 1, error },
              { at: 100 + index, ms: 1, error },
            ],
            due_at: undefined,
          }),
        )
    })
    const counted = await storage.read(tables => tables.countCallbacks({ from: 100, rows: 99 }))
    expect(counted).toStrictEqual([{ state: 'failed', count: errors.length, first: 100 }])
  })
})
