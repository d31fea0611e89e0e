import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { errorCodeDocUrl } from '@lead-distribution/contract'
import { startServer } from '@lead-distribution/sandbox'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openSqliteAdapter } from '../adapters/every-adapter.ts'
import { exchangeRaw } from '../adapters/sockets.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { root } from '../architecture/sources.ts'
import { eachRow } from '../each-row.ts'

describe('bytes on a raw socket', () => {
  let adapter: Adapter
  let tenant: Tenant

  beforeAll(async () => {
    adapter = await openSqliteAdapter()
    tenant = await createTenant(adapter)
  })
  afterEach(async () => {
    expect((await tenant.submit()).json.status).toBe('distributed')
  })
  afterAll(() => adapter.close())

  const head = (line: string, ...headers: string[]) => `${[line, 'host: 127.0.0.1', ...headers].join('\r\n')}\r\n\r\n`
  const submitHead = (...headers: string[]) =>
    head('POST /api/v1/lead HTTP/1.1', `apikey: ${tenant.publisherKey}`, 'content-type: application/json', ...headers)
  const statusOf = (reply: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(reply)?.[1])
  const bodyOf = (reply: string) => JSON.parse(reply.slice(reply.indexOf('\r\n\r\n') + 4))
  const headerOf = (reply: string, name: string) => new RegExp(`^${name}: (.*)\r$`, 'im').exec(reply)?.[1]
  /** Expects a clear error in JSON, or a closed connection. */
  const isRefused = (reply: string, ...statuses: number[]) => {
    if (reply === '') return
    expect(statuses).toContain(statusOf(reply))
    expect(bodyOf(reply)).toMatchObject({ error: expect.any(String) })
  }

  it('accepts an HTTP/1.0 request without a Host', async () => {
    const chunks = ['GET /_sandbox/health HTTP/1.0\r\n\r\n']
    expect(statusOf(await exchangeRaw(adapter.url, { chunks, end: true }))).toBe(200)
  })

  it('refuses malformed requests with a 400 in JSON', () =>
    eachRow(
      [
        ['a TLS ClientHello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
        ['a version that is not a number', 'GET / HTTP/x.y\r\n\r\n'],
        ['a header without a colon', 'GET / HTTP/1.1\r\nhost 127.0.0.1\r\n\r\n'],
        ['a header with a NUL', 'GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: a\0b\r\n\r\n'],
        ['a length that is not a number', 'POST /api/v1/lead HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: x\r\n\r\n'],
        ['a negative length', 'POST /api/v1/lead HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: -1\r\n\r\n'],
        [
          'two lengths',
          'POST /api/v1/lead HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
        ],
        [
          'a length and chunks',
          'POST /api/v1/lead HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
        ],
        [
          'a chunk whose size is not a number',
          'POST /api/v1/lead HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
        ],
      ],
      async (_title, text) => {
        isRefused(await exchangeRaw(adapter.url, { chunks: [Buffer.from(text, 'latin1')], end: true }), 400)
      },
    ))

  const host = 'host: 127.0.0.1'
  const refusals: readonly (readonly [title: string, head: readonly string[], status: number, error: string])[] = [
    ['bytes that are not HTTP', ['hello'], 400, 'malformed_request'],
    ['HTTP/2.0', ['GET /_sandbox/health HTTP/2.0', host], 505, 'http_version_not_supported'],
    ['the HTTP/2 preface', ['PRI * HTTP/2.0', '', 'SM'], 505, 'http_version_not_supported'],
    ['HTTP/3.0', ['GET / HTTP/3.0', host], 505, 'http_version_not_supported'],
    ['HTTP/0.9', ['GET / HTTP/0.9', host], 505, 'http_version_not_supported'],
    ['headers that are too long', ['GET / HTTP/1.1', host, `x: ${'x'.repeat(20_000)}`], 431, 'headers_too_large'],
    ['an unknown expectation', ['GET / HTTP/1.1', host, 'expect: tea'], 417, 'expectation_failed'],
    ['the coding gzip', ['POST /api/v1/lead HTTP/1.1', host, 'transfer-encoding: gzip'], 501, 'not_implemented'],
    ['gzip in chunks', ['GET / HTTP/1.1', host, 'transfer-encoding: gzip, chunked'], 501, 'not_implemented'],
    ['an unknown coding', ['POST / HTTP/1.1', host, 'transfer-encoding: x-chunked'], 501, 'not_implemented'],
    ['no Host', ['GET / HTTP/1.1'], 400, 'malformed_request'],
    ['two Hosts', ['GET / HTTP/1.1', host, host], 400, 'malformed_request'],
    ...['', 'a b', 'a/b', 'me@a', 'a?', 'a:b', 'a:70000', '[::1', '1.2.3.400', '<a>', '"a"', 'a\\b', '%zz'].map(
      name => [`the Host ${name}`, ['GET / HTTP/1.1', `host: ${name}`], 400, 'malformed_request'] as const,
    ),
    ['a URL without a Host', ['GET http://127.0.0.1/ HTTP/1.1'], 400, 'malformed_request'],
    ['a URL with an invalid host', ['GET http://a%20b/ HTTP/1.1', host], 400, 'malformed_request'],
  ]
  it.each(refusals)('refuses %s in JSON, with a date', async (_title, lines, status, error) => {
    const text = `${lines.join('\r\n')}\r\n\r\n`
    const reply = await exchangeRaw(adapter.url, { chunks: [text], until: /\}$/ })
    expect([statusOf(reply), bodyOf(reply).error]).toEqual([status, error])
    expect(bodyOf(reply).details).toEqual(status === 400 ? [expect.any(Object)] : undefined)
    expect(Date.parse(headerOf(reply, 'date') ?? '')).not.toBeNaN()
    expect(headerOf(reply, 'content-type')).toBe('application/json; charset=utf-8')
    // Each error code has a page.
    expect(errorCodeDocUrl(error)).toContain(`/${error}.md`)
  })

  it.each(['127.0.0.1', 'LOCALHOST:80', '[::1]:4010', 'my_service:1', 'xn--bcher-kva.example', 'a.example.:65535'])(
    'serves the Host %s',
    async name => {
      const text = `GET /_sandbox/health/live HTTP/1.1\r\nhost: ${name}\r\n\r\n`
      expect(statusOf(await exchangeRaw(adapter.url, { chunks: [text], until: /\}$/ }))).toBe(200)
    },
  )

  it.each(['http://127.0.0.1', 'http://other.example:81', 'HTTPS://127.0.0.1'])(
    'serves a request for an absolute URL below %s',
    async origin => {
      const body = JSON.stringify(tenant.body())
      const lead = submitHead(`content-length: ${Buffer.byteLength(body)}`).replace('POST /', `POST ${origin}/`)
      const submitted = await exchangeRaw(adapter.url, { chunks: [lead, body], until: /\}$/ })
      expect([statusOf(submitted), bodyOf(submitted).status]).toEqual([200, 'distributed'])
      const get = (path: string) =>
        exchangeRaw(adapter.url, { chunks: [head(`GET ${origin}${path} HTTP/1.1`)], until: /\}$/ })
      expect(statusOf(await get('/_sandbox/health?x=/y'))).toBe(200)
      expect(bodyOf(await get(''))).toMatchObject(bodyOf(await get('/')))
      // The host of the URL counts: without tokens, another machine's name is refused.
      const isOwn = !origin.includes('other')
      expect(statusOf(await get('/_sandbox/v1/tenants'))).toBe(isOwn ? 200 : 403)
    },
  )

  it('names the authentication scheme in a 401 and the accepted content coding in a 415', async () => {
    const send = (...lines: [line: string, ...headers: string[]]) =>
      exchangeRaw(adapter.url, { chunks: [head(...lines)], until: /\}$/ })
    const json = 'content-type: application/json'
    const unauthorized = [
      await send('POST /api/v1/lead HTTP/1.1', json, 'content-length: 0'),
      await send('GET /api/v1/lead/7d9b0a52-6c1e-4a0f-8b39-5a4c7e2f9d10/status?token=x&event=approved HTTP/1.1'),
    ]
    for (const reply of unauthorized)
      expect([statusOf(reply), headerOf(reply, 'www-authenticate')]).toEqual([401, 'ApiKey header="apikey"'])
    const encoded = await exchangeRaw(adapter.url, {
      chunks: [submitHead('content-encoding: gzip', 'content-length: 0')],
      until: /\}$/,
    })
    expect([statusOf(encoded), headerOf(encoded, 'accept-encoding')]).toEqual([415, 'identity'])
  })

  it.each(['openapi.json', 'service.openapi.json'])('honors If-Match on %s', async name => {
    const ask = (headers: Record<string, string>) =>
      fetch(`${adapter.url}/_sandbox/${name}`, { headers: { 'accept-encoding': 'identity', ...headers } })
    const etag = (await ask({})).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"\w+"$/)
    for (const match of [etag, `"x", ${etag}`, '*']) expect((await ask({ 'if-match': match })).status).toBe(200)
    for (const match of ['"x"', `W/${etag}`, etag.slice(1, -1), '']) {
      const reply = await ask({ 'if-match': match })
      expect([match, reply.status, (await reply.json()).error]).toEqual([match, 412, 'precondition_failed'])
    }
    // If-Match takes precedence over If-None-Match.
    expect((await ask({ 'if-match': '"x"', 'if-none-match': etag })).status).toBe(412)
    expect((await ask({ 'if-match': etag, 'if-none-match': etag, 'cache-control': 'max-age=0' })).status).toBe(304)
  })

  it('responds to 10 MB of headers with 431, or closes the connection', async () => {
    const big = Buffer.alloc(1_048_576, 'x')
    const chunks = ['GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ', ...Array(10).fill(big)]
    isRefused(await exchangeRaw(adapter.url, { chunks }), 431)
  })

  it('refuses a body of 20 MB with 413, or closes the connection, and reads no more than necessary', async () => {
    const chunks = [submitHead('content-length: 20971520'), ...Array(20).fill(Buffer.alloc(1_048_576, 'x'))]
    isRefused(await exchangeRaw(adapter.url, { chunks, until: /\}$/ }), 413)
  })

  it('accepts a chunked body', async () => {
    const body = Buffer.from(JSON.stringify(tenant.body({ 'customer.personal_data.last_name': 'Núñez' })))
    const chunks = [...body].map(byte =>
      Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]),
    )
    const reply = await exchangeRaw(adapter.url, {
      chunks: [submitHead('transfer-encoding: chunked'), Buffer.concat(chunks), '0\r\n\r\n'],
      until: /\}$/,
    })
    expect([statusOf(reply), reply.includes('"status":"distributed"')]).toEqual([200, true])
  })

  it('responds to a truncated body with 400, or closes the connection', async () => {
    isRefused(await exchangeRaw(adapter.url, { chunks: [submitHead('content-length: 100'), '{"a"'], end: true }), 400)
  })

  it('responds to bytes after the end of a body with 400', async () => {
    const body = JSON.stringify(tenant.body())
    const request = `${submitHead(`content-length: ${Buffer.byteLength(body)}`)}${body}`
    const reply = await exchangeRaw(adapter.url, { chunks: [`${request}garbage\r\n\r\n`], end: true })
    expect(reply).toContain('HTTP/1.1 400')
  })

  it('responds to pipelined requests in order', async () => {
    const bodies = Array.from({ length: 10 }, (_, index) =>
      JSON.stringify(tenant.body({ 'product_data.loan_amount': index % 2 ? 60_000 : 5000 })),
    )
    const requests = bodies.map(body => `${submitHead(`content-length: ${Buffer.byteLength(body)}`)}${body}`)
    const reply = await exchangeRaw(adapter.url, { chunks: [requests.join('')], until: /(?:"status"[\s\S]*){10}\}$/ })
    const statuses = [...reply.matchAll(/"status":"(\w+)"/g)].map(([, status]) => status)
    expect(statuses).toEqual(Array.from({ length: 10 }, (_, index) => (index % 2 ? 'new' : 'distributed')))
  })

  it('responds to a client that has closed its half of the connection', async () => {
    const body = JSON.stringify(tenant.body())
    const reply = await exchangeRaw(adapter.url, {
      chunks: [submitHead(`content-length: ${Buffer.byteLength(body)}`), body],
      end: true,
    })
    expect([statusOf(reply), reply.includes('distributed')]).toEqual([200, true])
  })

  it('responds to Expect: 100-continue with 100', async () => {
    const body = JSON.stringify(tenant.body())
    const chunks = [submitHead(`content-length: ${Buffer.byteLength(body)}`, 'expect: 100-continue'), body]
    const reply = await exchangeRaw(adapter.url, { chunks, until: /\}$/ })
    expect(reply).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/)
  })

  it('responds to an odd target in JSON, or closes the connection', () =>
    eachRow(
      [
        ['an absolute target', 'GET http://127.0.0.1/nothing HTTP/1.1', 404],
        ['an absolute target that is malformed', 'GET http://[ HTTP/1.1', 404],
        ['a star', 'OPTIONS * HTTP/1.1', 404],
        ['a target without a slash', 'GET nothing HTTP/1.1', 400],
        ['a backslash', 'GET \\api\\v1\\lead HTTP/1.1', 400],
        ['a target with non-ASCII letters', 'GET /ñ HTTP/1.1', 404],
        ['an upgrade to a web socket', 'GET /nothing HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket', 404],
        ['a tunnel', 'CONNECT example.com:443 HTTP/1.1', 404],
      ],
      async (_title, line, status) => {
        const reply = await exchangeRaw(adapter.url, {
          chunks: [Buffer.from(head(line, 'connection: close'), 'latin1')],
          end: true,
        })
        isRefused(reply, status, 400)
      },
    ))
})

describe('a fault on a raw socket', () => {
  let adapter: Adapter

  beforeAll(async () => {
    adapter = await openSqliteAdapter()
  })
  afterAll(() => adapter.close())

  /** A raw submission, and everything that came back before the connection ended. */
  async function submitRaw(tenant: Tenant, email: string): Promise<string> {
    const body = JSON.stringify(tenant.body({}, email))
    const head = [
      'POST /api/v1/lead HTTP/1.1',
      'host: 127.0.0.1',
      `apikey: ${tenant.publisherKey}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
    ]
    return exchangeRaw(adapter.url, { chunks: [`${head.join('\r\n')}\r\n\r\n${body}`], until: /\}$/ })
  }
  const faulty = async (effect: object) => {
    const tenant = await createTenant(adapter)
    const body = { match: { operation: 'submitLead' }, effect, times: 1 }
    expect((await tenant.control('POST', '/faults', { body })).status).toBe(201)
    return tenant
  }
  const emails = async (tenant: Tenant) =>
    (await tenant.control('GET', '/leads')).json.leads.map(({ email }: { email: string }) => email)

  it('that loses the reply sends no byte of it and stores the lead, as the resend shows', async () => {
    const tenant = await faulty({ lost_reply: true })
    expect(await submitRaw(tenant, 'ana@example.com')).toBe('')
    expect(await emails(tenant)).toEqual(['ana@example.com'])
    expect(await submitRaw(tenant, 'ana@example.com')).toContain('customer_already_exists')
  })

  it('that resets sends no byte of a response and stores nothing, so the resend creates the lead', async () => {
    const tenant = await faulty({ reset: true })
    expect(await submitRaw(tenant, 'ana@example.com')).toBe('')
    expect(await emails(tenant)).toEqual([])
    expect(await submitRaw(tenant, 'ana@example.com')).toContain('"distributed"')
  })

  it('that garbles the response declares its true length, so that the reader does not wait', async () => {
    const tenant = await faulty({ malformed: true })
    const body = JSON.stringify(tenant.body({}, 'ana@example.com'))
    const reply = await exchangeRaw(adapter.url, {
      chunks: [
        `POST /api/v1/lead HTTP/1.1\r\nhost: 127.0.0.1\r\napikey: ${tenant.publisherKey}\r\nconnection: close\r\n` +
          `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      ],
    })
    const [head = '', text = ''] = reply.split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 200 /)
    expect(Number(/content-length: (\d+)/i.exec(head)?.[1])).toBe(text.length)
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
  })
})

it('responds with 408 to an unfinished request, closes the connection, and keeps serving others', async () => {
  const server = await startServer({ port: 0, logLevel: 'silent', requestTimeoutMs: 200 })
  try {
    const upload = async (...headers: string[]) => {
      const lines = ['POST /api/v1/lead HTTP/1.1', 'host: 127.0.0.1', 'content-length: 100', ...headers]
      const reply = await exchangeRaw(server.url, { chunks: [`${lines.join('\r\n')}\r\n\r\n{`] })
      return [
        Number(/^HTTP\/1\.1 (\d+)/.exec(reply)?.[1]),
        JSON.parse(reply.slice(reply.indexOf('\r\n\r\n') + 4)).error,
      ]
    }
    const { api_key } = server.account().publisher
    const typed = ['content-type: application/json', `apikey: ${api_key}`]
    expect(await upload(...typed)).toEqual([408, 'request_timeout'])
    // A request with a response gets no second one.
    expect(await upload()).toEqual([401, 'unauthorized'])
    expect((await fetch(`${server.url}/_sandbox/health`)).status).toBe(200)
  } finally {
    await server.close()
  }
})

it('has fifteen seconds for the headers of a request and thirty for all of it, as documented', async () => {
  const asked = Promise.withResolvers<Server>()
  const onRequest = (message: unknown) => asked.resolve((message as { server: Server }).server)
  // The limits are Node's own, and run on a clock that no test can move.
  subscribe('http.server.request.start', onRequest)
  onTestFinished(() => void unsubscribe('http.server.request.start', onRequest))
  const server = await startServer({ port: 0, logLevel: 'silent' })
  onTestFinished(() => server.close())
  await fetch(`${server.url}/_sandbox/health/live`)
  const { headersTimeout, requestTimeout } = await asked.promise
  expect(readFileSync(join(root, 'docs/errors/service/request_timeout.md'), 'utf8')).toContain(
    `allows ${headersTimeout / 1_000} seconds for the headers and ${requestTimeout / 1_000} seconds for the whole request`,
  )
})
