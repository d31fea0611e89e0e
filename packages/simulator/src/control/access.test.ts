import { describe, expect, it } from 'vitest'
import { refuseAccess } from './access.ts'

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
    expect(refuseAccess({}, { host: 'evil.example' })?.body).toEqual({
      error: 'forbidden',
      message: expect.stringContaining('Host'),
    })
  })
})

describe('the control plane on a shared host', () => {
  const refused = (headers: Record<string, string>) => refuseAccess({ adminToken: 's3cret' }, headers)

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
    expect(refuseAccess({ adminToken: '' }, {})?.status).toBe(401)
  })
})
