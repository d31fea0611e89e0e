import type { Callback } from '@lead-distribution/control-client'
import { expect, it } from 'vitest'
import { lastOf } from './last-attempt.ts'

const at = '2026-03-02T10:00:00.000Z'
const callback = (callback_id: string, ...attempts: readonly object[]) =>
  ({ callback_id, attempts: attempts.map(each => ({ at, ms: 1, ...each })) }) as unknown as Callback

it('is the one that was made last, also while the clock stands still', () => {
  expect(lastOf([callback('c1', { status: 500 }, { status: 200 })])).toMatchObject({ callback_id: 'c1', status: 200 })
  const later = { status: 404, at: '2026-03-02T11:00:00.000Z' }
  expect(lastOf([callback('c2', { status: 200 }), callback('c1', later)])).toMatchObject({ callback_id: 'c1' })
  expect(lastOf([callback('c1')])).toBeNull()
})

it('is one that the receiver got, not one that a fault handled in its place', () => {
  const faults = [
    { status: 503, fault_id: 'f1' },
    { error: 'dropped by a fault', fault_id: 'f2' },
  ]
  expect(lastOf([callback('c1', { status: 201 }, ...faults)])).toMatchObject({ status: 201 })
  expect(lastOf([callback('c1', ...faults)])).toBeNull()
  expect(lastOf([callback('c1', { status: 202, fault_id: 'f3', copies: 2 })])).toMatchObject({ status: 202 })
})
