import { describe, expect, it } from 'vitest'
import { CallbackRefusedError, createCallbackUrl, verifyCallback } from '../callbacks.ts'
import { createTestCallback, createTestSigningSecret, forgeTestCallbacks } from '../testing.ts'

const { url, secret: urlSecret } = createCallbackUrl('https://publisher.example/callbacks')
const secret = createTestSigningSecret()
const callback = { url, urlSecret, secret, lead_id: '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11', event: 'loan_issued' }
const verify = { urlSecrets: [urlSecret], signature: { secrets: [secret] } } as const
const verified = { lead_id: callback.lead_id, event: 'approved', rawEvent: 'loan_issued', assurance: 'signature' }

/** A request as a framework of Node hands it over. */
function messageOf(request: Request) {
  const { pathname, search } = new URL(request.url)
  return { method: request.method, url: `${pathname}${search}`, headers: Object.fromEntries(request.headers) }
}

it('gives the event of a web request and of a message of Node, more than once', async () => {
  const request = await createTestCallback(callback)
  expect(await verifyCallback(request, { verify })).toEqual(verified)
  expect(await verifyCallback(messageOf(request), { verify })).toEqual(verified)
})

it('reads the headers of a gateway that writes them in capitals', async () => {
  const { headers, ...message } = messageOf(await createTestCallback(callback))
  const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  expect(await verifyCallback({ ...message, headers: capitals }, { verify })).toEqual(verified)
})

it('reads the whole target where a framework took the path off it, and one that is given', async () => {
  const message = messageOf(await createTestCallback(callback))
  const mounted = { ...message, url: message.url.replace('/callbacks', ''), originalUrl: message.url }
  expect(await verifyCallback(mounted, { verify })).toEqual(verified)
  const rewritten = { ...message, url: message.url.replace('/callbacks', '/internal') }
  expect(await verifyCallback(rewritten, { verify, target: message.url })).toEqual(verified)
  await expect(verifyCallback(rewritten, { verify })).rejects.toMatchObject({ status: 401 })
})

describe('a forged callback', () => {
  it('is refused with the status of the reply, and the error holds nothing of it', async () => {
    const forged = Object.entries(await forgeTestCallbacks(callback))
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

  it('comes from an address that is not allowed, or from none', async () => {
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
  ])('cannot be read: %o', async message => {
    await expect(verifyCallback(message, { verify })).rejects.toMatchObject({ status: expect.toSatisfy(is4xx) })
  })
})

const is4xx = (status: number) => status >= 400 && status < 500

it('is set up wrongly: the options are checked as those of a receiver', async () => {
  const request = await createTestCallback(callback)
  await expect(verifyCallback(request, {} as never)).rejects.toMatchObject({ code: 'config' })
  await expect(verifyCallback(request, { verify, allowedIps: ['x'] })).rejects.toMatchObject({ code: 'config' })
})

it('tells its error from any other, across copies of the package', () => {
  const error = new CallbackRefusedError({ status: 404, reason: 'the secret in its path is wrong' })
  expect([error.name, error.message]).toEqual([
    'CallbackRefusedError',
    'A callback was refused: the secret in its path is wrong. Reply with 404.',
  ])
  const others = [new Error('x'), undefined, null, 'x', { status: 404 }]
  expect(others.map(CallbackRefusedError.is)).toEqual(others.map(() => false))
})
