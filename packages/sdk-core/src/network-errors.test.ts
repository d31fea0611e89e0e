import { describe, expect, it } from 'vitest'
import { failureOfError } from './failure.ts'

const kindOfError = (error: unknown) => failureOfError(error).kind

describe('the kind of a network error', () => {
  const thrown = (cause: unknown) => new TypeError('fetch failed', { cause })

  it.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'UND_ERR_CONNECT_TIMEOUT',
    'ConnectionRefused',
    'FailedToOpenSocket',
  ])('is "not sent" for exactly the code %s', code => {
    expect(kindOfError({ code })).toBe('not_reached')
    expect([kindOfError({ code: `X${code}` }), kindOfError({ code: `${code}X` })]).toEqual(['reply_lost', 'reply_lost'])
  })

  it('is "unknown" if it lists failed addresses without a reason', () => {
    expect(kindOfError({ errors: [], code: 'ECONNREFUSED' })).toBe('not_reached')
    expect(kindOfError({ errors: [], code: 'ECONNRESET' })).toBe('reply_lost')
    expect(kindOfError({ errors: [{}, {}], code: 'ECONNREFUSED' })).toBe('reply_lost')
    expect(kindOfError({ errors: 'ECONNREFUSED' })).toBe('reply_lost')
  })

  it('is searched up to five causes deep', () => {
    const nested = (depth: number): object => (depth === 0 ? { code: 'ECONNREFUSED' } : { cause: nested(depth - 1) })
    expect([kindOfError(nested(5)), kindOfError(nested(6))]).toEqual(['not_reached', 'reply_lost'])
    const wrapped = (depth: number): object =>
      depth === 0 ? { code: 'ECONNREFUSED' } : { errors: [wrapped(depth - 1)] }
    expect([kindOfError(wrapped(5)), kindOfError(wrapped(6))]).toEqual(['not_reached', 'reply_lost'])
  })

  it.each(['no bad port', 'bad port?', 'Requests to port 6000 are blocked here', 'port x are blocked'])(
    'is "unknown" for the message %j',
    message => expect(kindOfError({ message })).toBe('reply_lost'),
  )

  it.each([
    ['bad port', 'unreachable'],
    ['Requests to port 7 are blocked', 'unreachable'],
    ['Requests to port 6000 are blocked', 'unreachable'],
  ])('is, for the message %j, %s', (message, kind) => expect(kindOfError({ message })).toBe(kind))

  it('is determined by a code before any message', () => {
    expect(kindOfError({ code: 'UND_ERR_SOCKET', message: 'bad port' })).toBe('reply_lost')
    expect(kindOfError({ code: 'UND_ERR_SOCKET', message: 'x client error (Connect): x' })).toBe('reply_lost')
  })

  it('distinguishes a reset while connecting, before anything is sent, from a later one', () => {
    expect(kindOfError(thrown({ code: 'ECONNRESET', syscall: 'connect' }))).toBe('not_reached')
    expect(kindOfError(thrown({ code: 'ECONNRESET', syscall: 'read' }))).toBe('reply_lost')
  })

  it.each([
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    'ERR_SSL_UNSUPPORTED_PROTOCOL',
  ])('treats %s as an untrusted server', code => expect(kindOfError(thrown({ code }))).toBe('unreachable'))

  it('is "not sent" for several addresses only if every one failed before connecting', () => {
    const refused = { code: 'ECONNREFUSED' }
    expect(kindOfError(thrown({ code: 'ECONNREFUSED', errors: [refused, refused] }))).toBe('not_reached')
    expect(kindOfError(thrown({ code: 'ECONNREFUSED', errors: [refused, { code: 'ECONNRESET' }] }))).toBe('reply_lost')
  })

  it.each([undefined, null, 'text', new TypeError('Failed to fetch'), { code: 7 }])(
    'treats %o as a lost reply',
    error => {
      expect(kindOfError(error)).toBe('reply_lost')
    },
  )

  it("is read from Deno's messages, which have no code", () => {
    const sentence = (what: string) => thrown(new Error(`error sending request for url (http://x/): ${what}`))
    const refused = 'client error (Connect): tcp connect error: Connection refused (os error 111)'
    expect(kindOfError(sentence(refused))).toBe('not_reached')
    expect(kindOfError(sentence('client error (Connect): invalid peer certificate: UnknownIssuer'))).toBe('unreachable')
    expect(kindOfError(sentence('client error (SendRequest): connection closed'))).toBe('reply_lost')
  })
})
