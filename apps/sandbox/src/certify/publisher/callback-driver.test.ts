import { expect, it } from 'vitest'
import { eventCount, otherSecret } from './callback-driver.ts'

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

const secret = '0123456789abcdef'

it.each([
  [`http://a.example/callbacks/${secret}`, /^http:\/\/a\.example\/callbacks\/[0-9a-f]{16}$/],
  [`http://a.example/${secret}/callbacks?a=1`, /^http:\/\/a\.example\/[0-9a-f]{16}\/callbacks\?a=1$/],
  [`http://a.example/callbacks?key=${secret}`, /^http:\/\/a\.example\/callbacks\?key=[0-9a-f]{16}$/],
])('replaces the secret of %s', (url, pattern) => {
  const other = otherSecret(url) ?? expect.fail('No secret was found.')
  expect(other).toMatch(pattern)
  expect(other).not.toBe(url)
})

it('finds none in a URL that has none', () => {
  expect(otherSecret('http://a.example/callbacks/leads?source=loans')).toBeUndefined()
})
