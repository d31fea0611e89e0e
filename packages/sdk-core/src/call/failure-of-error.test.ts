import { expect, it } from 'vitest'
import { failureOfError } from './failure-of-error.ts'

const thrown = (cause: unknown) => new TypeError('fetch failed', { cause })

it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused'])(
  'takes %s as never having reached the service, however deep it is wrapped',
  code => {
    expect(failureOfError(thrown({ code }))).toBe('not_reached')
    expect(failureOfError(new Error('network', { cause: thrown({ code }) }))).toBe('not_reached')
  },
)

it('tells a reset while connecting, before anything is sent, from one after it', () => {
  expect(failureOfError(thrown({ code: 'ECONNRESET', syscall: 'connect' }))).toBe('not_reached')
  expect(failureOfError(thrown({ code: 'ECONNRESET', syscall: 'read' }))).toBe('reply_lost')
})

it.each([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
])('takes %s as a server that is not trusted', code => expect(failureOfError(thrown({ code }))).toBe('untrusted'))

it('believes several addresses only when each of them failed before it stood', () => {
  const refused = { code: 'ECONNREFUSED' }
  expect(failureOfError(thrown({ code: 'ECONNREFUSED', errors: [refused, refused] }))).toBe('not_reached')
  expect(failureOfError(thrown({ code: 'ECONNREFUSED', errors: [refused, { code: 'ECONNRESET' }] }))).toBe('reply_lost')
})

it.each([undefined, null, 'text', new TypeError('Failed to fetch'), { code: 7 }])('takes %o as a lost reply', error => {
  expect(failureOfError(error)).toBe('reply_lost')
})

it('ends on a circle of causes', () => {
  const circle: { cause?: unknown } = {}
  circle.cause = circle
  expect(failureOfError(circle)).toBe('reply_lost')
})
