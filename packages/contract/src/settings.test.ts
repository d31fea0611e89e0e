import { describe, expect, it } from 'vitest'
import { profiles, resolveSettings, settings } from './settings.ts'

describe('settings', () => {
  it('default to those of the prose', () => {
    expect(resolveSettings({})).toEqual(profiles.prose)
  })

  it('of the formal schema differ in six switches', () => {
    expect(resolveSettings({ profile: 'formal' })).toEqual({
      ...profiles.prose,
      profile: 'formal',
      gender: 'required',
      consent_metadata: 'required',
      status_methods: ['POST'],
      callback_event_names: 'enum',
      absent_fields: 'null',
    })
  })

  it('let a single switch override its profile', () => {
    expect(resolveSettings({ profile: 'formal', gender: 'optional' })).toEqual({
      ...profiles.formal,
      gender: 'optional',
    })
    expect(resolveSettings({ absent_fields: 'null' })).toEqual({ ...profiles.prose, absent_fields: 'null' })
  })

  it('treat an undefined switch as not set', () => {
    expect(resolveSettings({ profile: 'formal', gender: undefined }).gender).toBe('required')
  })

  it('have a valid shape in both profiles', () => {
    for (const profile of [profiles.prose, profiles.formal]) expect(settings.safeParse(profile).success).toBe(true)
  })

  it.each([
    ['gender', 'maybe'],
    ['status_methods', []],
    ['status_methods', ['POST', 'POST']],
    ['status_methods', 'POST'],
    ['duplicate_window', '60'],
    ['duplicate_window', 60],
    ['duplicate_window', 'P1M'],
    ['callback_retries', ['soon']],
    ['callback_retries', 'PT5S'],
    ['callback_retries', Array(51).fill('PT1S')],
    ['callback_timeout', ''],
    ['token_format', { hash: 'MD5', joiner: ':', encoding: 'hex' }],
    ['token_format', { hash: 'SHA-256', joiner: 1, encoding: 'hex' }],
    ['token_format', { hash: 'SHA-256', joiner: ':', encoding: 'base64' }],
    ['token_format', { hash: 'SHA-256', joiner: ':', encoding: 'hex', salt: '' }],
    ['callback_signature', 'hmac'],
    ['distribution', 'auction'],
    ['colour', 'red'],
  ])('refuse %s: %j', (name, value) => {
    expect(settings.safeParse({ ...profiles.prose, [name]: value }).success).toBe(false)
  })

  it.each([
    ['semantic_refusals', 'rejected_200'],
    ['status_methods', ['PATCH']],
    ['status_methods', ['PATCH', 'POST']],
    ['status_vocabulary', 'any'],
    ['callback_event_names', 'as_reported'],
    ['duplicate_window', 'PT0S'],
    ['duplicate_window', 'P3650D'],
    ['callback_retries', []],
    ['callback_retries', Array(50).fill('PT1S')],
    ['callback_timeout', 'P1D'],
    ['token_format', { hash: 'SHA-512', joiner: '', encoding: 'base64url' }],
    ['distribution', 'all_accepting'],
    ['callback_signature', 'standard_webhooks'],
  ])('take %s: %j', (name, value) => {
    expect(settings.safeParse({ ...profiles.prose, [name]: value })).toMatchObject({ data: { [name]: value } })
  })

  it.each([
    ['status_methods', [], 'must contain POST, PATCH or both'],
    ['status_methods', ['POST', 'POST'], 'must contain each method only once'],
    [
      'duplicate_window',
      'P3651D',
      'must be an ISO 8601 duration without months or years, such as PT60S, at most P3650D',
    ],
    ['callback_timeout', 'P2D', 'must be an ISO 8601 duration without months or years, such as PT60S, at most P1D'],
  ])('report for %s as %j that it %s', (name, value, message) => {
    const { error } = settings.safeParse({ ...profiles.prose, [name]: value })
    expect(error?.issues).toMatchObject([{ path: [name], message }])
  })

  it.each(['duplicate_window', 'callback_timeout'])('refuse a %s that exceeds the range of time', name => {
    for (const value of [`P${'9'.repeat(400)}D`, 'P99999999999W'])
      expect(settings.safeParse({ ...profiles.prose, [name]: value }).success).toBe(false)
  })
})

describe('the shape of a lifecycle', () => {
  const { lifecycle } = settings.shape
  const loan = [
    { event: 'approved', after: 'P1D' },
    { event: 'registration', after: 'PT1M' },
  ]
  const issueOf = (value: unknown) => lifecycle.safeParse(value).error?.issues[0]?.path

  it('accepts every event of the specification, up to fifty', () => {
    const fifty = Array.from({ length: 50 }, () => ({ event: 'converted', after: 'PT0S' }))
    expect(lifecycle.safeParse([...loan, { event: 'converted', after: 'P3650D' }]).success).toBe(true)
    expect([lifecycle.safeParse(fifty).success, issueOf([...fifty, fifty[0]])]).toEqual([true, []])
  })

  it.each([
    [[{ event: 'nonsense', after: 'PT1M' }], [0, 'event']],
    [[{ event: 'approved', after: '1 minute' }], [0, 'after']],
    [[{ event: 'approved', after: 'P3651D' }], [0, 'after']],
    [[{ event: 'approved', after: '-PT1M' }], [0, 'after']],
    [[{ event: 'approved' }], [0, 'after']],
    [[{ event: 'approved', after: 'PT1M', colour: 'red' }], [0]],
  ])('refuses %j at %j', (value, path) => {
    expect(issueOf(value)).toEqual(path)
  })
})
