import { forgeCallbacks } from '@lead-distribution/contract/forged-callbacks'
import { describe, expect, it } from 'vitest'
import {
  CallbackRefusedError,
  ConfigError,
  createCallbackReceiver,
  createCallbackUrl,
  verifyCallback,
} from '../callbacks.ts'
import { createTestCallback, createTestSigningSecret } from '../testing.ts'

const { url, secret: urlSecret } = createCallbackUrl('https://publisher.example/callbacks')
const secret = createTestSigningSecret()
const callback = { url, secret, lead_id: '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11', event: 'loan_issued' }
const verify = { urlSecrets: [urlSecret], signature: { secrets: [secret] } } as const
const verified = { lead_id: callback.lead_id, event: 'approved', rawEvent: 'loan_issued', assurance: 'signature' }

/** Converts a request to a message, as Node frameworks pass it. */
function messageOf(request: Request) {
  const { pathname, search } = new URL(request.url)
  return { method: request.method, url: `${pathname}${search}`, headers: Object.fromEntries(request.headers) }
}

it('returns the event of a web request and of a Node message, repeatedly', async () => {
  const request = await createTestCallback(callback)
  expect(await verifyCallback(request, { verify })).toEqual(verified)
  expect(await verifyCallback(messageOf(request), { verify })).toEqual(verified)
})

it('reads headers with upper-case names, which some gateways send', async () => {
  const { headers, ...message } = messageOf(await createTestCallback(callback))
  const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  expect(await verifyCallback({ ...message, headers: capitals }, { verify })).toEqual(verified)
})

it('reads the original target if a framework stripped the path, and prefers `target`', async () => {
  const message = messageOf(await createTestCallback(callback))
  const mounted = { ...message, url: message.url.replace('/callbacks', ''), originalUrl: message.url }
  expect(await verifyCallback(mounted, { verify })).toEqual(verified)
  const rewritten = { ...message, url: message.url.replace('/callbacks', '/internal') }
  expect(await verifyCallback(rewritten, { verify, target: message.url })).toEqual(verified)
  await expect(verifyCallback(rewritten, { verify })).rejects.toMatchObject({ status: 401 })
})

describe('a forged callback', () => {
  it('is refused with a 4xx status, and the error contains nothing from it', async () => {
    const forged = Object.entries(await forgeCallbacks({ ...callback, urlSecret }))
    expect(forged.length).toBeGreaterThan(10)
    for (const [flaw, request] of forged) {
      for (const given of [request, messageOf(request)]) {
        const error = await verifyCallback(given, { verify }).catch(caught => caught)
        expect(CallbackRefusedError.is(error), flaw).toBe(true)
        expect(error.status >= 400 && error.status < 500, flaw).toBe(true)
        expect(error.message, flaw).toContain(error.reason)
        expect(`${error.message}${JSON.stringify(error)}`, flaw).not.toMatch(/[0-9a-f]{8}-|[\w-]{32}/)
      }
    }
  })

  it('is refused if the address of its sender is unknown or not allowed', async () => {
    const request = await createTestCallback(callback)
    const from = (ip?: string) => verifyCallback(request, { verify, allowedIps: ['203.0.113.0/24'], ip })
    expect(await from('203.0.113.7')).toEqual(verified)
    await expect(from('198.51.100.7')).rejects.toMatchObject({ status: 403 })
    await expect(from()).rejects.toMatchObject({ status: 403 })
  })

  it.each([
    { url: 'https://[bad', headers: {} },
    { method: 'GET\n', url: '/', headers: {} },
    { url: '/', headers: { 'webhook-id': 'a\nb' } },
  ])('is refused if it cannot be read: %o', async message => {
    await expect(verifyCallback(message, { verify })).rejects.toMatchObject({ status: expect.toSatisfy(is4xx) })
  })
})

it.each([
  ['undefined', undefined],
  ['null', null],
  ['an empty object', {}],
  ['a string', url],
  ['no URL', { method: 'GET', headers: {} }],
  ['an empty URL', { method: 'GET', url: '', headers: {} }],
  ['a URL that is not a string', { url: new URL(url), headers: {} }],
  ['null headers', { url: '/callbacks/x', headers: null }],
  ['no headers', { method: 'GET', url: '/callbacks/x' }],
  ['web headers with a relative URL', { url: '/callbacks/x', headers: new Headers() }],
  ['an HTTP API event', { rawPath: '/', rawQueryString: '', headers: {}, requestContext: { http: { method: 'GET' } } }],
  ['a REST API event', { path: '/', httpMethod: 'GET', headers: {}, requestContext: { path: '/' } }],
  ['a load balancer event', { path: '/', httpMethod: 'GET', headers: {}, requestContext: { elb: {} } }],
  ['a queue event', { Records: [] }],
])('throws a ConfigError for a request without a URL: %s', async (_name, request) => {
  const error = await verifyCallback(request as never, { verify: 'none' }).catch(caught => caught)
  expect(error).toBeInstanceOf(ConfigError)
  expect(error.message).toMatch(/^Pass the request of the callback, with its URL and headers/)
})

const is4xx = (status: number) => status >= 400 && status < 500

it('checks its options like a receiver', async () => {
  const request = await createTestCallback(callback)
  await expect(verifyCallback(request, {} as never)).rejects.toMatchObject({ code: 'config' })
  await expect(verifyCallback(request, { verify, allowedIps: ['x'] })).rejects.toMatchObject({ code: 'config' })
})

it('recognizes its error across copies of the package', () => {
  const error = new CallbackRefusedError({ status: 404, reason: 'the secret in its path is wrong' })
  expect([error.name, error.message]).toEqual([
    'CallbackRefusedError',
    'A callback was refused: the secret in its path is wrong. Respond with 404.',
  ])
  const others = [new Error('x'), undefined, null, 'x', { status: 404 }]
  expect(others.map(CallbackRefusedError.is)).toEqual(others.map(() => false))
})

describe('verification', () => {
  const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
  const query = `?lead_id=${lead_id}&event=approved`

  async function statusFrom(allowedIps: readonly string[], ip: string | undefined) {
    const receive = createCallbackReceiver({ verify: 'none', handle: () => {}, allowedIps })
    return (await receive(new Request(`https://publisher.example/${query}`), { ip })).status
  }

  describe('an allow list', () => {
    it.each([
      [['203.0.113.7'], '203.0.113.7', 200],
      [['203.0.113.7'], '203.0.113.8', 403],
      [['203.0.113.0/24'], '203.0.113.0', 200],
      [['203.0.113.0/24'], '203.0.113.255', 200],
      [['203.0.113.0/24'], '203.0.114.0', 403],
      [['203.0.113.0/24'], '203.0.112.255', 403],
      [['198.51.100.7', '203.0.113.0/24'], '::ffff:203.0.113.9', 200],
      [['2001:db8::7'], '2001:db8::7', 200],
      [['2001:db8::7'], '2001:db8::8', 403],
      [['2001:DB8::7'], '2001:db8:0:0:0:0:0:7', 200],
      [['2001:0db8:0000::0007'], '2001:db8::7', 200],
      [['::ffff:203.0.113.7'], '203.0.113.7', 200],
      [['203.0.113.7'], '::ffff:cb00:7107', 200],
      [['fe80::1'], 'fe80::1%eth0', 200],
      [['::', '203.0.113.7'], '::1', 403],
      [['::ffff:203.0.113.0/120'], '203.0.113.7', 200],
      [['::ffff:203.0.113.0/120'], '::ffff:203.0.113.7', 200],
      [['::ffff:203.0.113.0/120'], '203.0.114.7', 403],
      [['2001:db8::/32'], '2001:db8:ffff::1', 200],
      [['2001:db8::/32'], '2001:db9::1', 403],
      [['203.0.113.7'], '203.0.113.7:51234', 403],
      [['203.0.113.7'], '203.0.113.7, 198.51.100.7', 403],
      [['203.0.113.7'], '', 403],
      [['203.0.113.7'], undefined, 403],
      [[], '203.0.113.7', 403],
    ])('of %o with the sender %s results in %i', async (allowed, ip, status) =>
      expect(await statusFrom(allowed, ip)).toBe(status),
    )
  })

  it.each([
    ...[
      '203.0.113.256',
      '203.0.113.0/33',
      '203.0.113.0/',
      '203.0.113.0/08',
      '203.0.113.0/8/8',
      'publisher.example',
      '',
    ],
    ...['2001:db8::/129', '1:2:3', '::1%eth0', 'fe80::%eth0/10', 'abc', '203.0.113.7:51234', '[::1]:1', '[::1]'],
  ])('rejects the address %o by name', allowed => {
    const create = () => createCallbackReceiver({ verify: 'none', handle: () => {}, allowedIps: ['::1', allowed] })
    expect(create).toThrow(`\`allowedIps\` contains \`${allowed}\`, `)
    expect(create).toThrow(
      allowed.includes(':51234') || allowed.endsWith(']:1') ? 'leave out its port' : 'write an IPv4',
    )
  })

  it.each(['203.0.113.7', '', null, [7]])('rejects %o, which is not a list of strings', allowed => {
    const options = { verify: 'none', handle: () => {}, allowedIps: allowed as never } as const
    expect(() => createCallbackReceiver(options)).toThrow('`allowedIps` must be a list')
  })

  it.each([
    [undefined, 'the address of its sender is unknown: pass it as `ip`'],
    ['', 'the address of its sender is unknown: pass it as `ip`'],
    ['198.51.100.7', 'its sender is not in `allowedIps`'],
    ['::ffff:198.51.100.7', 'its sender is not in `allowedIps`'],
    ['203.0.113.7:51234', 'the address of its sender has a port: pass `ip` without it'],
    ['::ffff:203.0.113.7:51234', 'the address of its sender has a port: pass `ip` without it'],
    ['[::1]:1', 'the address of its sender has a port: pass `ip` without it'],
    ['203.0.113.7, 198.51.100.7', 'the address of its sender is not one IP address: pass one as `ip`'],
    ['localhost', 'the address of its sender is not one IP address: pass one as `ip`'],
  ])('reports why a callback from %s is refused', async (ip, reason) => {
    const reasons: string[] = []
    const onRefusal = (refusal: { reason: string }) => void reasons.push(refusal.reason)
    const receive = createCallbackReceiver({ verify: 'none', handle: () => {}, allowedIps: ['203.0.113.7'], onRefusal })
    await receive(new Request(`https://publisher.example/${query}`), { ip })
    expect(reasons).toEqual([reason])
  })

  it.each(['x', '5', Number.NaN, -1, null])('rejects the tolerance %o', toleranceSeconds => {
    const signature = { secrets: [`whsec_${btoa('s'.repeat(32))}`], toleranceSeconds: toleranceSeconds as never }
    const create = () => createCallbackReceiver({ verify: { signature }, handle: () => {} })
    expect(create).toThrow('`signature.toleranceSeconds` must be a number')
  })

  describe('the time of a signature', () => {
    const secret = createTestSigningSecret()
    const at = new Date('2026-06-15T12:00:00Z')
    const callback = { url: 'https://publisher.example/callbacks', secret, at, lead_id, event: 'approved' }
    const isTaken = async (toleranceSeconds: number | undefined, secondsLater: number) => {
      const now = () => new Date(at.getTime() + secondsLater * 1000)
      const verify = { signature: { secrets: [secret], toleranceSeconds, now } }
      return verifyCallback(await createTestCallback(callback), { verify }).then(
        () => true,
        error => (error.status === 401 ? false : Promise.reject(error)),
      )
    }

    it.each([
      [0, 0, true],
      [0, 1, false],
      [0, -1, false],
      [0, 0.001, false],
      [5, 5, true],
      [5, -5, true],
      [5, 5.001, false],
      [5, -5.001, false],
      [undefined, 300, true],
      [undefined, -300, true],
      [undefined, 301, false],
      [undefined, -301, false],
      [Number.POSITIVE_INFINITY, 1e9, true],
    ])('with a tolerance of %s seconds, and %s seconds later, is right: %s', async (tolerance, later, taken) =>
      expect(await isTaken(tolerance, later)).toBe(taken),
    )
  })
})
