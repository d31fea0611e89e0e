import type { Callback } from '@lead-distribution/control-client'
import { expect, it } from 'vitest'
import { lastSeen } from './coverage.ts'

const at = (minute: number) => `2026-06-15T12:0${minute}:00.000Z`
const entry = (number: number, more: object) =>
  ({ request_id: `r${number}`, at: at(number), operation: 'submitLead', status: 200, ...more }) as never
const attempts = (...minutes: number[]) => minutes.map(minute => ({ at: at(minute) }))
const callback = (callback_id: string, state: string, ...minutes: number[]) =>
  ({ callback_id, state, attempts: attempts(...minutes) }) as Callback

it('finds the newest request or attempt that shows an item', () => {
  const entries = [
    entry(4, { outcome: 'rejected', reason: 'blacklisted' }),
    entry(3, { operation: 'reportEvent', outcome: 'accepted', event: 'approved' }),
    entry(2, { status: 400, outcome: 'validation_error' }),
    // A fault cut its connection.
    entry(2, { status: 0, outcome: 'malformed_json' }),
    entry(1, { outcome: 'rejected', reason: 'age_restriction' }),
  ]
  const callbacks = [
    { ...callback('c3', 'failed', 7, 8), resent_after: 1 },
    callback('c2', 'pending', 5),
    callback('c1', 'delivered', 1, 6),
    callback('c0', 'pending'),
  ]
  expect(Object.fromEntries(lastSeen(entries, callbacks))).toEqual({
    'outcome/rejected': { at: at(4), path: 'requests/r4' },
    'reason/blacklisted': { at: at(4), path: 'requests/r4' },
    'event/approved': { at: at(3), path: 'requests/r3' },
    'error/validation_error': { at: at(2), path: 'requests/r2' },
    'error/malformed_json': { at: at(2), path: 'requests/r2' },
    'reason/age_restriction': { at: at(1), path: 'requests/r1' },
    'callback/failed': { at: at(8), path: 'callbacks/c3' },
    'callback/delivered': { at: at(6), path: 'callbacks/c1' },
    'callback/retried': { at: at(6), path: 'callbacks/c1' },
  })
})

it('finds the retry before an attempt that was requested', () => {
  const resent = { ...callback('c1', 'delivered', 1, 2, 3), resent_after: 2 }
  expect(lastSeen([], [resent]).get('callback/retried')).toEqual({ at: at(2), path: 'callbacks/c1' })
})
