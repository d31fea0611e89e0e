import { expect, it } from 'vitest'
import type { Lead } from './entries.ts'
import { decidingStep, historyOf, isDelivered } from './lead-history.ts'

const event = (name: string, recorded_at: string): Lead['events'][number] => ({
  event: name,
  reported_as: name,
  via: 'pixel',
  advertiser_id: 'a',
  recorded_at,
})
const callback = (name: string, state: 'pending' | 'delivered', at: readonly string[]): Lead['callbacks'][number] => ({
  callback_id: name,
  lead_id: 'l',
  event: name,
  url: 'http://127.0.0.1/',
  state,
  attempts: at.map(each => ({ at: each, status: 503, ms: 1 })),
})

it('lists events and callback attempts by time, an event before its callback, and pending callbacks last', () => {
  const history = historyOf({
    events: [event('registration', '2026-01-01T10:00:00Z'), event('approved', '2026-01-01T11:00:00Z')],
    callbacks: [
      callback('registration', 'pending', ['2026-01-01T10:00:00Z', '2026-01-01T11:30:00Z']),
      callback('approved', 'delivered', ['2026-01-01T11:00:00Z']),
    ],
  })
  const names = history.map(each => (each.kind === 'event' ? each.event.event : `${each.kind} ${each.callback.event}`))
  expect(names).toEqual([
    'registration',
    'attempt registration',
    'approved',
    'attempt approved',
    'attempt registration',
    'waiting registration',
  ])
})

it('counts any 2xx as a delivery', () => {
  const statuses = [199, 200, 204, 299, 300, 503, undefined]
  const delivered = statuses.map(status => isDelivered({ status }))
  expect(delivered).toEqual([false, true, true, true, false, false, false])
})

it('finds the deciding step: a rejection before a forced outcome', () => {
  const passed = { check: 'shape', verdict: 'passed' } as const
  const forced = { check: 'scenario', verdict: 'forced' } as const
  const rejected = { check: 'age', verdict: 'rejected' } as const
  expect(decidingStep([passed, forced, rejected])).toBe(rejected)
  expect(decidingStep([passed, forced])).toBe(forced)
  expect(decidingStep([passed])).toBeUndefined()
})
