import { describe, expect, it } from 'vitest'
import { refuseAccess, refuseCallback } from './access.ts'

describe('the control plane on this machine', () => {
  const refused = (headers: Record<string, string>) => refuseAccess({}, { method: 'GET', headers })?.status

  it.each([
    {},
    { host: '127.0.0.1:4010' },
    { host: '127.0.0.1' },
    { host: 'localhost:4010' },
    { host: 'LOCALHOST' },
    { host: '[::1]:4010' },
    { host: '127.8.8.8:1' },
    { host: '127.0.0.1:4010', origin: 'http://127.0.0.1:4010' },
    { host: '127.0.0.1:4010', origin: 'http://localhost:3000' },
    { host: '127.0.0.1:4010', origin: 'https://[::1]:3000' },
  ])('lets %j in, without a token', headers => {
    expect(refused(headers)).toBeUndefined()
  })

  it.each([
    'sandbox.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example:4010',
    '192.168.1.5:4010',
    '0.0.0.0:4010',
    '[::]:4010',
    '',
    'a b',
    '127.0.0.1:99999',
  ])('refuses the foreign host %j', host => {
    expect(refused({ host })).toBe(403)
  })

  it.each([
    'http://evil.example',
    'http://127.0.0.1.evil.example',
    'null',
    '',
    'file://',
    'http://evil.example@',
    'http://evil@evil.example',
  ])('refuses the foreign origin %j', origin => {
    expect(refused({ host: '127.0.0.1:4010', origin })).toBe(403)
  })

  it('names the foreign header', () => {
    expect(refuseAccess({}, { method: 'GET', headers: { host: 'evil.example' } })?.body).toEqual({
      error: 'forbidden',
      message: expect.stringContaining('Host'),
    })
  })
})

const host = '127.0.0.1:4010'

/** What a page of another origin sends, or an old browser of it. */
const fromOtherPages = [
  { host, 'sec-fetch-site': 'cross-site' },
  { host, 'sec-fetch-site': 'same-site' },
  { host, 'sec-fetch-site': 'same-site', origin: `http://${host}` },
  { host, 'sec-fetch-site': '' },
  { host, origin: 'http://127.0.0.1:3000' },
  { host, origin: 'http://localhost:4010' },
  { host, origin: 'https://evil.example' },
  { host, origin: 'null' },
  { origin: `http://${host}` },
]

/** What its own pages send, and all that is no browser. */
const fromElsewhere = [
  {},
  { host },
  { host, 'sec-fetch-mode': 'cors' },
  { host, 'sec-fetch-site': 'none' },
  { host, 'sec-fetch-site': 'same-origin', origin: `http://${host}` },
  { host, origin: `http://${host}` },
  { host: 'LOCALHOST:4010', origin: 'http://localhost:4010' },
]

describe.each(['POST', 'PATCH', 'DELETE', 'PUT'])('a change by %s on this machine', method => {
  it.each(fromOtherPages)('is refused to a page that sends %j', headers => {
    expect(refuseAccess({}, { method, headers })).toMatchObject({ status: 403, body: { error: 'forbidden' } })
  })

  it.each(fromElsewhere)('is allowed to what sends %j', headers => {
    expect(refuseAccess({}, { method, headers })).toBeUndefined()
  })
})

it.each([
  { host, 'sec-fetch-site': 'cross-site' },
  { host, 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' },
])('a link from another page may be followed: %j', headers => {
  expect(refuseAccess({}, { method: 'GET', headers })).toBeUndefined()
})

describe('an inbox', () => {
  const shared = { adminToken: 's3cret' }

  it.each([...fromOtherPages, { host: 'evil.example' }])('refuses %j', headers => {
    expect(refuseCallback({}, headers)?.status).toBe(403)
  })

  it.each(fromElsewhere)('takes %j', headers => {
    expect(refuseCallback({}, headers)).toBeUndefined()
    expect(refuseCallback(shared, headers)).toBeUndefined()
  })

  it('on a shared host has the name of that host, and takes no page either', () => {
    expect(refuseCallback(shared, { host: 'qa.example' })).toBeUndefined()
    expect(refuseCallback(shared, { host: 'qa.example', 'sec-fetch-site': 'cross-site' })?.status).toBe(403)
    expect(refuseCallback(shared, { host: 'qa.example', origin: 'https://evil.example' })?.status).toBe(403)
  })
})

describe('the control plane on a shared host', () => {
  const refused = (headers: Record<string, string>) =>
    refuseAccess({ adminToken: 's3cret' }, { method: 'POST', headers })

  it.each(['Bearer s3cret', 'bearer s3cret', 'BEARER s3cret'])('lets %j in, from anywhere', authorization => {
    expect(refused({ authorization, host: 'qa.example', origin: 'https://app.example' })).toBeUndefined()
  })

  it.each([
    '',
    's3cret',
    'Basic s3cret',
    'Bearer',
    'Bearer ',
    'Bearer s3cre',
    'Bearer s3crets',
    'Bearer S3CRET',
    'Bearer s3cret s3cret',
    'Bearers3cret',
  ])('refuses %j with 401 and names the scheme', authorization => {
    expect(refused({ authorization, host: '127.0.0.1' })).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
      body: { error: 'unauthorized' },
    })
  })

  it('refuses a call without a token', () => {
    expect(refused({})?.status).toBe(401)
  })

  it('accepts no empty token', () => {
    expect(refuseAccess({ adminToken: '' }, { method: 'POST', headers: {} })?.status).toBe(401)
  })
})
