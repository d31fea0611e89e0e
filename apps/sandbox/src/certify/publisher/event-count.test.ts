import { expect, it } from 'vitest'
import { eventCount } from './event-count.ts'

it.each([
  ['registration', 'registration\nregistration', 2],
  ['approved', '["approved","loan_issued"]', 2],
  ['approved', '2026-01-01 APPROVED; not-approved; approved_by; disapproved', 1],
  ['completed', '{"event":"loan_paid"}', 1],
  ['converted', 'converted', 1],
  ['rejected', '', 0],
])('counts %s in %j: %i', (event, text, times) => {
  expect(eventCount(text, event)).toBe(times)
})
