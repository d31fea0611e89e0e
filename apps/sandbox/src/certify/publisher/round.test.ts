import { describe, expect, it } from 'vitest'
import {
  crashed,
  eventCount,
  judge,
  misdirected,
  otherSecret,
  redirected,
  type Submission,
  sentMore,
  strayed,
} from './round.ts'

const email = 'new+1@sandbox.test'
const callOf = (address: string) => ({
  method: 'POST',
  target: '/api/v1/lead',
  headers: {},
  at: 0,
  body: JSON.stringify({ customer: { contact: { email: { address } } } }),
})
const end = { stdout: '', exitCode: 0, timedOut: false, ms: 20 }
const submission = (changes: Partial<Submission> = {}): Submission => ({
  email,
  calls: [callOf(email)],
  shown: '',
  end,
  ...changes,
})

describe('a customer without a redirect_url', () => {
  it.each([
    'http://127.0.0.1:4010/_sandbox/advertiser/1/2',
    'http://127.0.0.1:4020/undefined',
    'null',
    '303 http://127.0.0.1:4020/null',
  ])('was redirected, with %s', shown => {
    expect(redirected(submission({ shown }))).toMatch(/^The customer was redirected to/)
  })

  it.each(['', '/application/1', 'http://127.0.0.1:4020/thanks', '{"redirect_url":null}', 'You hear from us.'])(
    'was not redirected, with %j',
    shown => {
      expect(redirected(submission({ shown }))).toBeUndefined()
    },
  )
})

describe('a customer with a redirect_url', () => {
  const to = 'http://127.0.0.1:4010/_sandbox/advertiser/1/2'

  it.each([to, `303 ${to}\n`, `{"redirect_url":"${to.replaceAll('/', '\\/')}"}`, `<a href="${to}">`])(
    'was redirected, with %s',
    shown => {
      expect(misdirected(submission({ shown }), to)).toBeFalsy()
    },
  )

  it.each([`${to}?utm_source=shop`, `${to}3`, 'http://127.0.0.1:4020/thanks', encodeURIComponent(to), ''])(
    'was not redirected, with %j',
    shown => {
      expect(misdirected(submission({ shown }), to)).toBeTruthy()
    },
  )
})

it('finds leads of other customers, and none', () => {
  expect(strayed(submission())).toBeFalsy()
  expect(strayed(submission({ calls: [] }))).toBe('No lead arrived at the sandbox.')
  expect(strayed(submission({ calls: [callOf(email), callOf('other@example.com')] }))).toMatch(/^1 call had an email/)
})

it('finds a customer without a response', () => {
  expect(crashed(submission())).toBeFalsy()
  expect(crashed(submission({ end: { ...end, exitCode: 22 } }))).toMatch('exited with code 22')
  expect(crashed(submission({ end: { ...end, exitCode: null, timedOut: true, ms: 60_000 } }))).toMatch('within 60 s')
})

it('counts how often a lead was sent', () => {
  const twice = submission({ calls: [callOf(email), callOf(email)] })
  expect([sentMore(twice, 2), sentMore(twice, 1)]).toEqual([false, expect.stringMatching(/^The lead was sent 2 times/)])
})

it('fails with the first problem, and passes without one', () => {
  expect(judge('Seen.', undefined, false)).toEqual({ verdict: 'passed', seen: 'Seen.' })
  expect(judge('Seen.', false, 'First.', 'Second.')).toEqual({ verdict: 'failed', seen: 'First.' })
})

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
  ['http://a.example/callbacks/%7Babcdefghij%7D', /^http:\/\/a\.example\/callbacks\/[0-9a-f]{16}$/],
  ['http://a.example/callbacks?key=%7Babcdefghij%7D', /^http:\/\/a\.example\/callbacks\?key=[0-9a-f]{16}$/],
  [`http://a.example/callbacks?key=${secret}`, /^http:\/\/a\.example\/callbacks\?key=[0-9a-f]{16}$/],
])('replaces the secret of %s', (url, pattern) => {
  const other = otherSecret(url) ?? expect.fail('No secret was found.')
  expect(other).toMatch(pattern)
  expect(other).not.toBe(url)
})

it('finds none in a URL that has none', () => {
  expect(otherSecret('http://a.example/callbacks/leads?source=loans')).toBeUndefined()
})
