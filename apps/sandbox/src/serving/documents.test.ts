import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SandboxServer, startServer } from '../server.ts'

let server: SandboxServer
beforeAll(async () => {
  server = await startServer({ port: 0, logLevel: 'silent' })
})
afterAll(() => server.close())

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const outgoing = request(`${server.url}${path}`, { method, headers })
  outgoing.end()
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: reply.statusCode, headers: reply.headers, body: await buffer(reply) }
}

describe.each(['/_sandbox/openapi.json', '/_sandbox/service.openapi.json'])('the document %s', path => {
  it('has a strong ETag for revalidation', async () => {
    const { headers, body } = await get(path)
    const { etag = '' } = headers
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', vary: 'accept-encoding' })
    expect(headers['content-encoding']).toBeUndefined()
    expect(JSON.parse(body.toString()).openapi).toMatch(/^3\.1\./)
    for (const known of [etag, `W/${etag}`, `"another", ${etag}`, '*']) {
      const same = await get(path, { 'if-none-match': known })
      expect([same.status, same.headers.etag, same.headers['content-length'], same.body.length]).toEqual([
        304,
        etag,
        undefined,
        0,
      ])
    }
    for (const known of ['"another"', '', etag.slice(1, -1)]) {
      const sent = await get(path, { 'if-none-match': known })
      expect([sent.status, sent.body.equals(body)]).toEqual([200, true])
    }
  })

  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['br;q=0.5, gzip', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
  ] as const)('is compressed for a client that accepts %s, with its own ETag', async (accepted, encoding, unpack) => {
    const plain = await get(path)
    const { status, headers, body } = await get(path, { 'accept-encoding': accepted })
    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, encoding, 'accept-encoding'])
    expect(unpack(body).equals(plain.body)).toBe(true)
    expect(body.length).toBeLessThan(plain.body.length / 3)
    expect(headers.etag).toBe(plain.headers.etag?.replace(/"$/, `-${encoding}"`))
    const known = { 'if-none-match': headers.etag ?? '' }
    expect((await get(path, { 'accept-encoding': accepted, ...known })).status).toBe(304)
    expect((await get(path, known)).status).toBe(200)
  })

  it.each(['identity', 'gzip;q=0, br;q=0', 'deflate', 'gzip;q=0.2, identity'])(
    'is not compressed for %s',
    async accepted => {
      expect((await get(path, { 'accept-encoding': accepted })).headers['content-encoding']).toBeUndefined()
    },
  )
})

it("gives the service's document another ETag once the e-mail address of its example is taken", async () => {
  const path = '/_sandbox/service.openapi.json'
  const first = await get(path)
  const { examples } = JSON.parse(first.body.toString()).paths['/lead'].post.requestBody.content['application/json']
  const [example] = Object.values(examples) as [{ value: object }]
  const { base_url, publisher } = server.account()
  const submitted = await fetch(`${base_url}/lead`, {
    method: 'POST',
    headers: { apikey: publisher.api_key, 'content-type': 'application/json' },
    body: JSON.stringify(example.value),
  })
  expect(await submitted.json()).toMatchObject({ status: 'distributed' })
  expect((await get(path, { 'if-none-match': first.headers.etag ?? '' })).status).toBe(200)
})

describe('a HEAD request', () => {
  it.each([
    '/_sandbox/health',
    '/_sandbox/docs',
    '/_sandbox/docs/assets/start.js',
    '/_sandbox/openapi.json',
    '/_sandbox/v1/tenants',
    '/_sandbox/v1/tenants/demo/leads',
    '/_sandbox/v1/tenants/nobody',
  ])('for %s gets the same headers as a GET, without the body', async path => {
    const [got, head] = [await get(path), await get(path, {}, 'HEAD')]
    const { date: _, ...headers } = got.headers
    expect([head.status, head.body.length]).toEqual([got.status, 0])
    expect(head.headers).toMatchObject(headers)
    expect(Number(head.headers['content-length'])).toBe(got.body.length)
  })

  it('for the metrics has their content type, and for a stream opens none', async () => {
    expect(await get('/_sandbox/metrics', {}, 'HEAD')).toMatchObject({
      status: 200,
      headers: { 'content-type': expect.stringContaining('text/plain') },
    })
    // More than may be open concurrently.
    for (let n = 0; n < 150; n++) {
      const head = await get('/_sandbox/v1/tenants/demo/events', {}, 'HEAD')
      expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
    }
  })

  it('for an inbox, a service endpoint or a path without GET is refused, with the allowed methods', async () => {
    for (const [path, allow] of [
      ['/_sandbox/inbox/demo?lead_id=x&event=sale', 'GET'],
      ['/api/v1/lead', 'POST'],
      ['/_sandbox/v1/tenants/demo/reset', 'POST'],
    ] as const) {
      const { status, headers } = await get(path, {}, 'HEAD')
      expect([path, status, headers.allow]).toEqual([path, 405, allow])
    }
    expect((await get('/_sandbox/v1/tenants', {}, 'PUT')).headers.allow).toBe('POST, GET, HEAD')
    const { body } = await get('/_sandbox/v1/tenants/demo/inbox')
    expect(JSON.parse(body.toString()).callbacks).toEqual([])
  })
})
