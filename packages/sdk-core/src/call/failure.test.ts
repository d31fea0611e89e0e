import { expect, it, vi } from 'vitest'
import { failureOfError } from './failure.ts'
import { createHttpClient } from './http-client.ts'

const kindOf = (error: unknown) => failureOfError(error).kind
const thrown = (cause: unknown) => new TypeError('fetch failed', { cause })

it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused'])(
  'takes %s as never having reached the service, however deep it is wrapped',
  code => {
    expect(kindOf(thrown({ code }))).toBe('not_reached')
    expect(kindOf(new Error('network', { cause: thrown({ code }) }))).toBe('not_reached')
  },
)

it('distinguishes a reset while connecting, before anything is sent, from one after it', () => {
  expect(kindOf(thrown({ code: 'ECONNRESET', syscall: 'connect' }))).toBe('not_reached')
  expect(kindOf(thrown({ code: 'ECONNRESET', syscall: 'read' }))).toBe('reply_lost')
})

it.each([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
])('takes %s as a server that is not trusted', code => expect(kindOf(thrown({ code }))).toBe('unreachable'))

it('believes several addresses only when each of them failed before it stood', () => {
  const refused = { code: 'ECONNREFUSED' }
  expect(kindOf(thrown({ code: 'ECONNREFUSED', errors: [refused, refused] }))).toBe('not_reached')
  expect(kindOf(thrown({ code: 'ECONNREFUSED', errors: [refused, { code: 'ECONNRESET' }] }))).toBe('reply_lost')
})

it.each([undefined, null, 'text', new TypeError('Failed to fetch'), { code: 7 }])('takes %o as a lost reply', error => {
  expect(kindOf(error)).toBe('reply_lost')
})

it('takes an error that cannot even be looked at as a lost reply', () => {
  const hostile = {
    get code() {
      throw new Error('its own')
    },
  }
  for (const error of [hostile, thrown(hostile)]) expect(kindOf(error)).toBe('reply_lost')
})

it("reads Deno's sentences, which come without a code", () => {
  const sentence = (what: string) => thrown(new Error(`error sending request for url (http://x/): ${what}`))
  const refused = 'client error (Connect): tcp connect error: Connection refused (os error 111)'
  expect(kindOf(sentence(refused))).toBe('not_reached')
  expect(kindOf(sentence('client error (Connect): invalid peer certificate: UnknownIssuer'))).toBe('unreachable')
  expect(kindOf(sentence('client error (SendRequest): connection closed'))).toBe('reply_lost')
})

it('ends on a circle of causes', () => {
  const circle: { cause?: unknown } = {}
  circle.cause = circle
  expect(kindOf(circle)).toBe('reply_lost')
})

it('knows a port that fetch refuses by the sentence of Node and of Deno', () => {
  expect(kindOf(thrown(new Error('bad port')))).toBe('unreachable')
  expect(kindOf(new TypeError('Fetch failed: Requests to port 6000 are blocked'))).toBe('unreachable')
})

it('is of the set-up where ky cannot be loaded', async () => {
  const fetch = async () => Response.json({ status: 'new' })
  const client = createHttpClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'k', fetch }, 'LEAD_PUBLISHER_API_KEY')
  const submit = () => client.call({ name: 'submitLead', method: 'POST', to: { path: '/lead' }, withKey: true })
  vi.doMock('ky', () => {
    throw new Error('A file is missing.')
  })
  try {
    await expect(submit()).rejects.toMatchObject({
      code: 'config',
      sent: 'no',
      message: expect.stringContaining('`ky` cannot be loaded'),
    })
  } finally {
    vi.doUnmock('ky')
  }
})
