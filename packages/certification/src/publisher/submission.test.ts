import { expect, it } from 'vitest'
import { judge } from '../check.ts'
import { eventCount } from './callback-checks.ts'
import { otherSecret } from './forgery-checks.ts'
import { crashed, misdirected, redirected, type Submission, sentMore, strayed } from './submission.ts'

const email = 'new+1@sandbox.test'
const requestOf = (address: string) => ({
  method: 'POST',
  target: '/api/v1/lead',
  headers: {},
  at: 0,
  body: JSON.stringify({ customer: { contact: { email: { address } } } }),
})
const end = { stdout: '', exitCode: 0, timedOut: false, ms: 20 }
const submission = (changes: Partial<Submission> = {}): Submission => ({
  email,
  requests: [requestOf(email)],
  shown: '',
  end,
  ...changes,
})

it.each([
  ['http://127.0.0.1:4010/_sandbox/advertiser/1/2', true],
  ['http://127.0.0.1:4020/undefined', true],
  ['null', true],
  ['303 http://127.0.0.1:4020/null', true],
  ['', false],
  ['/application/1', false],
  ['http://127.0.0.1:4020/thanks', false],
  ['{"redirect_url":null}', false],
  ['You hear from us.', false],
])('detects a redirect without a redirect_url in the output %j: %j', (shown, was) => {
  expect(Boolean(redirected(submission({ shown })))).toBe(was)
})

const to = 'http://127.0.0.1:4010/_sandbox/advertiser/1/2'

it.each([
  [to, true],
  [`303 ${to}\n`, true],
  [`{"redirect_url":"${to.replaceAll('/', '\\/')}"}`, true],
  [`<a href="${to}">`, true],
  [`${to}?utm_source=shop`, false],
  [`${to}3`, false],
  ['http://127.0.0.1:4020/thanks', false],
  [encodeURIComponent(to), false],
  ['', false],
])('detects a redirect to the redirect_url in the output %j: %j', (shown, was) => {
  expect(!misdirected(submission({ shown }), to)).toBe(was)
})

it('finds leads of other customers, missing leads, and more leads than allowed', () => {
  expect(strayed(submission())).toBeFalsy()
  expect(strayed(submission({ requests: [] }))).toBe('No lead arrived at the sandbox.')
  const requests = [requestOf(email), requestOf('other@example.com')]
  expect(strayed(submission({ requests }))).toMatch(/^1 request had an email/)
  expect([sentMore(submission({ requests }), 2), sentMore(submission({ requests }), 1)]).toEqual([
    false,
    'The lead was sent 2 times (at most 1 allowed).',
  ])
})

it('finds that a customer got no response', () => {
  expect(crashed(submission())).toBeFalsy()
  expect(crashed(submission({ end: { ...end, exitCode: 22 } }))).toMatch('exited with code 22')
  expect(crashed(submission({ end: { ...end, exitCode: null, timedOut: true, ms: 60_000 } }))).toMatch('within 60 s')
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

it('finds no secret in a URL that has none', () => {
  expect(otherSecret('http://a.example/callbacks/leads?source=loans')).toBeUndefined()
})
