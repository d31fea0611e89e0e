import { describe, expect, it } from 'vitest'
import { refuseAccess, refusePages } from './access.ts'

describe('the control plane on this machine', () => {
  const refused = (headers: Record<string, string>) => refuseAccess({}, headers)?.status

  it.each([
    {},
    { host: '127.0.0.1:4010' },
    { host: '127.0.0.1' },
    { host: 'localhost:4010' },
    { host: 'LOCALHOST' },
    { host: '[::1]:4010' },
    { host: '127.8.8.8:1' },
    { host: '127.0.0.1:4010', origin: 'http://127.0.0.1:4010' },
    { host: '[::1]:4010', origin: 'http://[::1]:4010' },
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
    expect(refuseAccess({}, { host: 'evil.example' })?.body).toEqual({
      error: 'forbidden',
      message: expect.stringContaining('Host'),
    })
  })
})

const host = '127.0.0.1:4010'

/** Headers that a page of another origin sends, including in old browsers. */
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

/** Headers that the sandbox's own pages and non-browser clients send. */
const fromElsewhere = [
  {},
  { host },
  { host, 'sec-fetch-mode': 'cors' },
  { host, 'sec-fetch-site': 'none' },
  { host, 'sec-fetch-site': 'same-origin', origin: `http://${host}` },
  { host, origin: `http://${host}` },
  { host: 'LOCALHOST:4010', origin: 'http://localhost:4010' },
]

describe('a page in a browser', () => {
  const adminToken = 's3cret'
  const authorization = `Bearer ${adminToken}`

  it.each(fromOtherPages)('of another origin reaches nothing, with or without a token: %j', headers => {
    const refused = { status: 403, body: { error: 'forbidden' } }
    expect(refuseAccess({}, headers)).toMatchObject(refused)
    expect(refuseAccess({ adminToken }, { ...headers, authorization })).toMatchObject(refused)
    expect(refusePages({}, headers)).toMatchObject(refused)
  })

  it.each(fromElsewhere)('of the sandbox reaches everything, as does any program: %j', headers => {
    expect(refuseAccess({}, headers)).toBeUndefined()
    expect(refuseAccess({ adminToken }, { ...headers, authorization })).toBeUndefined()
    expect(refusePages({}, headers)).toBeUndefined()
  })

  it("counts as the sandbox's own at its public URL too, even if a proxy names another host", () => {
    const access = { adminToken, origin: 'https://sandbox.example' }
    const from = (origin: string) => refuseAccess(access, { host, origin, authorization })?.status
    expect(from('https://sandbox.example')).toBeUndefined()
    expect(from('http://sandbox.example')).toBe(403)
    expect(from('https://evil.example')).toBe(403)
  })
})

describe('an inbox', () => {
  const shared = { adminToken: 's3cret' }

  it("on a shared host is reached by that host's name, and refuses pages too", () => {
    expect(refusePages(shared, { host: 'qa.example' })).toBeUndefined()
    expect(refusePages(shared, { host: 'qa.example', 'sec-fetch-site': 'cross-site' })?.status).toBe(403)
    expect(refusePages(shared, { host: 'qa.example', origin: 'https://evil.example' })?.status).toBe(403)
  })
})

describe('the control plane on a shared host', () => {
  const refused = (headers: Record<string, string>) => refuseAccess({ adminToken: 's3cret' }, headers)

  it.each(['Bearer s3cret', 'bearer s3cret', 'BEARER s3cret'])('lets %j in, from anywhere', authorization => {
    expect(refused({ authorization, host: 'qa.example', origin: 'https://qa.example' })).toBeUndefined()
  })

  it.each(['', 's3cret', 'Basic s3cret', 'Bearer s3crets', 'Bearer S3CRET', 'Bearer s3cret s3cret'])(
    'refuses %j with 401 and names the scheme',
    authorization => {
      expect(refused({ authorization, host: '127.0.0.1' })).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer' },
        body: { error: 'unauthorized' },
      })
    },
  )

  it('refuses a call without a token', () => {
    expect(refused({})?.status).toBe(401)
  })

  it('refuses an empty token', () => {
    expect(refuseAccess({ adminToken: '' }, {})?.status).toBe(401)
  })
})
