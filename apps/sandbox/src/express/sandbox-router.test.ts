import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { createTestLeads } from '@lead-distribution/contract/test-leads'
import compression from 'compression'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listening } from '../listening.fixture.ts'
import { temporaryFile } from '../storage/contract/storage.fixture.ts'
import { createSandboxRouter, type SandboxRouter, type SandboxRouterOptions } from './sandbox-router.ts'

/** Starts an application with its own routes around a sandbox, and a body parser after it. */
async function mounted({ prefix = '', before = [] as RequestHandler[], ...options }: SandboxRouterOptions & Mounted) {
  const sandbox = createSandboxRouter({ logLevel: 'silent', ...options })
  onTestFinished(() => sandbox.close())
  const app = express()
  app.get('/before', (_, response) => void response.json({ own: 'before' }))
  for (const handler of before) app.use(handler)
  app.use(prefix || '/', sandbox)
  app.use(express.json())
  app.post('/api/v2/echo', (request, response) => void response.json(request.body))
  app.get(`${prefix}/_sandbox-of-the-application`, (_, response) => void response.json({ own: 'after' }))
  const server = createServer(app)
  return { sandbox, server, origin: await listening(server) }
}

interface Mounted {
  readonly prefix?: string
  /** Handlers that the application mounts before the sandbox. */
  readonly before?: RequestHandler[]
}

const json = { 'content-type': 'application/json' }

/** Submits a scenario's lead to a mounted sandbox. */
async function submit(sandbox: SandboxRouter, email = 'ana@example.com') {
  const account = await sandbox.account()
  const lead = createTestLeads(account).distributed({ customer: { contact: { email: { address: email } } } })
  const headers = { ...json, apikey: account.publisher.api_key }
  const response = await fetch(`${account.base_url}/lead`, { method: 'POST', headers, body: JSON.stringify(lead) })
  return { status: response.status, body: await response.json() }
}

describe.each(['', '/leads', '/a/b'])('a sandbox mounted at %j', prefix => {
  it('has links that include its mount path', async () => {
    const { sandbox, origin } = await mounted({ prefix })
    await fetch(`${origin}${prefix}/_sandbox/health`)
    const account = await sandbox.account()
    expect(account.base_url).toBe(`${origin}${prefix}/api/v1`)
    expect(account.publisher.callback_url).toBe(`${origin}${prefix}/_sandbox/inbox/demo`)

    const { status, body } = await submit(sandbox)
    expect([status, body.status]).toEqual([200, 'distributed'])
    expect(body.redirect_url).toMatch(`${origin}${prefix}/_sandbox/advertiser/`)
    const page = await (await fetch(body.redirect_url)).text()
    expect(page).toContain(`href="${origin}${prefix}/_sandbox/`)

    for (const name of ['openapi.json', 'service.openapi.json']) {
      const document = await (await fetch(`${origin}${prefix}/_sandbox/${name}`)).json()
      expect(document.servers[0].url).toMatch(`${origin}${prefix}/`)
    }
  })

  it('reports an event back to the publisher', async () => {
    const { sandbox, origin } = await mounted({ prefix, url: undefined })
    const tenant = `${origin}${prefix}/_sandbox/v1/tenants/demo`
    await fetch(`${origin}${prefix}/_sandbox/health`)
    const { body } = await submit(sandbox)
    const report = JSON.stringify({ event: 'approved' })
    const triggered = await fetch(`${tenant}/leads/${body.lead_id}/trigger`, {
      method: 'POST',
      headers: json,
      body: report,
    })
    expect(triggered.status).toBe(200)
    const waited = await fetch(`${tenant}/callbacks/wait?lead_id=${body.lead_id}&timeout_ms=20000`)
    expect(await waited.json()).toMatchObject({
      state: 'delivered',
      url: expect.stringContaining(`${prefix}/_sandbox/inbox/demo`),
    })
    const { deliveries } = await (await fetch(`${tenant}/leads/${body.lead_id}`)).json()
    const pixel = await fetch(`${deliveries[0].postback_url}&event=rejected`)
    expect([pixel.status, (await pixel.json()).status]).toEqual([200, 'received'])
  })

  it('has a reference that loads its files and documents under the mount path', async () => {
    const { origin } = await mounted({ prefix })
    const page = await (await fetch(`${origin}${prefix}/_sandbox/docs`)).text()
    const [, ...files] = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path)
    expect(files.length).toBeGreaterThan(4)
    for (const path of files) expect([path, (await fetch(`${origin}${path}`)).status]).toEqual([path, 200])
    const start = await (await fetch(`${origin}${prefix}/_sandbox/docs/assets/start.js`)).text()
    expect(start).toContain(`"${prefix}/_sandbox/openapi.json"`)
  })

  it('leaves all other paths to the application', async () => {
    const { origin } = await mounted({ prefix })
    const own = async (path: string, init?: RequestInit) => (await fetch(`${origin}${path}`, init)).json()
    expect(await own('/before')).toEqual({ own: 'before' })
    expect(await own(`${prefix}/_sandbox-of-the-application`)).toEqual({ own: 'after' })
    expect(await own('/api/v2/echo', { method: 'POST', headers: json, body: '{"a":1}' })).toEqual({ a: 1 })
    const nobody = await fetch(`${origin}${prefix}/api/v1`)
    expect([nobody.status, nobody.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    const ofService = await fetch(`${origin}${prefix}/api/v1/nothing`)
    expect([ofService.status, (await ofService.json()).error]).toEqual([404, 'not_found'])
  })
})

describe('the URL of a mounted sandbox', () => {
  it('is the given one, without a trailing slash', async () => {
    const { sandbox } = await mounted({
      url: 'https://qa.example/leads/',
      adminToken: 'agreed-by-the-team',
    })
    expect((await sandbox.account()).base_url).toBe('https://qa.example/leads/api/v1')
  })

  it('is not taken from the Host header', async () => {
    const { sandbox, origin } = await mounted({})
    await fetch(`${origin}/_sandbox/health`, { headers: { host: 'evil.example' } })
    expect((await sandbox.account()).base_url).toBe(`${origin}/api/v1`)
  })

  it.each(['ftp://a.example', '/leads', 'http://a.example/?b=1', 'http://a:b@a.example/'])(
    'cannot be %s',
    async url => {
      const { sandbox, origin } = await mounted({ url })
      await expect(sandbox.account()).rejects.toThrow('`url` must be an http or https URL')
      const response = await fetch(`${origin}/api/v1/lead`, { method: 'POST' })
      expect([response.status, (await response.json()).message]).toEqual([
        503,
        expect.stringContaining('could not be opened'),
      ])
    },
  )

  it('must be on this machine unless there is a token, because a reverse proxy makes all requests local', async () => {
    const { sandbox } = await mounted({ url: 'https://qa.example/leads' })
    await expect(sandbox.account()).rejects.toThrow('at https://qa.example/leads: pass `adminToken`')
    const local = await mounted({ url: 'http://localhost:4010/leads' })
    expect((await local.sandbox.account()).base_url).toBe('http://localhost:4010/leads/api/v1')
  })

  it('is unknown before the first request', async () => {
    await expect(createSandboxRouter().account()).rejects.toThrow('does not know its URL yet')
  })
})

it('opens on the next request if its data could not be opened', async () => {
  const data = temporaryFile()
  writeFileSync(data, 'This is not a database.')
  const { origin } = await mounted({ data })
  const status = async () => (await fetch(`${origin}/_sandbox/health`)).status
  expect(await status()).toBe(503)
  rmSync(data)
  expect(await status()).toBe(200)
})

describe('a body parser before the sandbox', () => {
  it('works if it preserves the raw bytes', async () => {
    const { sandbox, origin } = await mounted({ before: [express.raw({ type: () => true, limit: '1mb' })] })
    await fetch(`${origin}/_sandbox/health`)
    expect(await submit(sandbox)).toMatchObject({ status: 200, body: { status: 'distributed' } })
  })

  it.each([express.json(), express.text({ type: () => true })])(
    'is named in the error if it does not',
    async parser => {
      const { sandbox, origin } = await mounted({ before: [parser] })
      expect((await fetch(`${origin}/_sandbox/health`)).status).toBe(200)
      const { status, body } = await submit(sandbox)
      expect([status, body.error]).toEqual([500, 'internal_error'])
      expect(body.message).toContain('Mount createSandboxRouter() before body parsers such as express.json()')
    },
  )
})

describe('access to a mounted sandbox', () => {
  const elsewhere: RequestHandler = (request, _response, next) => {
    Object.defineProperty(request.socket, 'remoteAddress', { value: '::ffff:192.0.2.7' })
    next()
  }

  it('is limited to this machine without an admin token', async () => {
    const { origin } = await mounted({ before: [elsewhere] })
    for (const path of ['/api/v1/lead', '/_sandbox/v1/tenants', '/_sandbox/docs']) {
      const response = await fetch(`${origin}${path}`)
      expect([response.status, (await response.json()).error]).toEqual([403, 'forbidden'])
    }
  })

  it('is open to all with an admin token, which the control plane requires, and with random demo keys', async () => {
    const { sandbox, origin } = await mounted({ before: [elsewhere], adminToken: 'agreed-by-the-team' })
    const status = async (headers = {}) => (await fetch(`${origin}/_sandbox/v1/tenants`, { headers })).status
    expect([await status(), await status({ authorization: 'Bearer agreed-by-the-team' })]).toEqual([401, 200])
    expect((await sandbox.account()).publisher.api_key).not.toBe('sandbox_pub_demo_0000000000000000')
  })
})

describe('a mounted sandbox that is closed', () => {
  it('has saved everything, released its file, and responds 503', async () => {
    const data = temporaryFile()
    const first = await mounted({ data, prefix: '/leads' })
    await fetch(`${first.origin}/leads/_sandbox/health`)
    expect((await submit(first.sandbox)).body.status).toBe('distributed')
    await Promise.all([first.sandbox.close(), first.sandbox.close()])
    expect((await fetch(`${first.origin}/leads/api/v1/lead`)).status).toBe(503)
    expect(await (await fetch(`${first.origin}/before`)).json()).toEqual({ own: 'before' })

    const second = await mounted({ data, prefix: '/other' })
    await fetch(`${second.origin}/other/_sandbox/health`)
    expect((await submit(second.sandbox)).body.rejection_reason).toBe('customer_already_exists')
  })

  it('responds to waiting requests and finishes those in flight', async () => {
    const arrived = Promise.withResolvers<void>()
    const watch: RequestHandler = (request, _response, next) => {
      next()
      if (request.url.includes('/callbacks/wait')) arrived.resolve()
    }
    const { sandbox, origin } = await mounted({ before: [watch] })
    await fetch(`${origin}/_sandbox/health`)
    const { body } = await submit(sandbox)
    const waiting = fetch(`${origin}/_sandbox/v1/tenants/demo/callbacks/wait?lead_id=${body.lead_id}&timeout_ms=60000`)
    await arrived.promise
    await sandbox.close()
    expect((await waiting).status).toBe(404)
  })

  it('can be closed without ever having been opened', async () => {
    await expect(createSandboxRouter().close()).resolves.toBeUndefined()
  })
})

it('rejects an unusable database when it is created', () => {
  expect(() => createSandboxRouter({ data: 'postgres://127.0.0.1/leads?pool_size=0' })).toThrow('from 1 to 100')
})

it("is mounted by the documentation's code block", async () => {
  const page = readFileSync(new URL('../../../../docs/sandbox/embed.md', import.meta.url), 'utf8')
  const block = /<!-- mount -->\n```ts\n(.*?)```/s.exec(page)?.[1] ?? expect.fail('There is no such block.')
  const program = block.replace(/^import .*\n/gm, '').replace('listen(3000)', "listen(0, '127.0.0.1')")
  const { server, leads } = new Function('createSandboxRouter', 'express', `${program}; return { server, leads }`)(
    createSandboxRouter,
    express,
  )
  onTestFinished(async () => {
    server.close()
    await leads.close()
  })
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${server.address().port}`
  expect(await (await fetch(origin)).text()).toBe('My application')
  expect((await fetch(`${origin}/leads/_sandbox/health`)).status).toBe(200)
  expect((await leads.account()).base_url).toBe(`${origin}/leads/api/v1`)
})

describe('a sandbox mounted without a token, behind a proxy on this machine', () => {
  it.each([
    ['forwarded', 'for=203.0.113.7'],
    ['x-forwarded-for', '203.0.113.7'],
    ['X-Forwarded-Host', 'qa.example'],
    ['x-forwarded-proto', 'https'],
    ['x-real-ip', '203.0.113.7'],
    ['via', '1.1 proxy'],
  ])('refuses control by a request with %s, and says what to set', async (name, value) => {
    const { origin } = await mounted({ prefix: '/leads' })
    for (const path of ['v1/tenants', 'v1/tenants/demo/events', 'metrics', 'inbox/demo?lead_id=1&event=approved']) {
      const response = await fetch(`${origin}/leads/_sandbox/${path}`, { headers: { [name]: value } })
      expect([path, response.status]).toEqual([path, 403])
      expect(await response.json()).toEqual({
        error: 'forbidden',
        message: expect.stringMatching(new RegExp(`${name.toLowerCase()} header .*--admin-token.*adminToken`)),
      })
    }
  })

  it('can be controlled with a token', async () => {
    const adminToken = 'a-token-of-this-test'
    const { origin } = await mounted({ adminToken })
    const headers = { 'x-forwarded-for': '203.0.113.7', authorization: `Bearer ${adminToken}` }
    expect((await fetch(`${origin}/_sandbox/v1/tenants`, { headers })).status).toBe(200)
  })
})

it('streams events immediately even if the application compresses responses', async () => {
  const { sandbox, origin } = await mounted({ before: [compression({ threshold: 0 })] })
  await fetch(`${origin}/_sandbox/health`)
  const response = await fetch(`${origin}/_sandbox/v1/tenants/demo/events`, { signal: AbortSignal.timeout(20_000) })
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
  expect(response.headers.get('content-encoding')).toBeNull()
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let received = ''
  const until = async (pattern: RegExp) => {
    while (!pattern.test(received)) received += (await reader?.read())?.value ?? expect.fail(`It ended: ${received}`)
  }
  await until(/event: ready\n/)
  await submit(sandbox)
  await until(/event: lead\S*\n/)
  await reader?.cancel()
})

describe('a server whose application mounts a sandbox', () => {
  const exchange = async (origin: string, text: string) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.setTimeout(20_000, () => socket.destroy(new Error('The server did not respond.')))
    socket.write(text)
    let reply = ''
    for await (const chunk of socket) reply += chunk
    const [head = '', body = ''] = reply.split('\r\n\r\n')
    return { status: Number(head.slice(9, 12)), date: /^date: (.*)$/im.exec(head)?.[1], body }
  }

  it.each([
    ['hello', 400, 'malformed_request'],
    ['GET / HTTP/3.0', 505, 'http_version_not_supported'],
    [`GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}`, 431, 'headers_too_large'],
    ['GET / HTTP/1.1\r\nhost: a\r\nexpect: tea', 417, 'expectation_failed'],
    ['GET /leads/_sandbox/health HTTP/2.0\r\nhost: a\r\nconnection: close', 505, 'http_version_not_supported'],
    ['GET /leads/_sandbox/health HTTP/1.1\r\nhost: a/b\r\nconnection: close', 400, 'malformed_request'],
  ])('responds to %j with JSON', async (head, status, error) => {
    const { origin } = await mounted({ prefix: '/leads' })
    await fetch(`${origin}/leads/_sandbox/health`)
    const reply = await exchange(origin, `${head}\r\n\r\n`)
    expect([reply.status, JSON.parse(reply.body).error]).toEqual([status, error])
    expect(Date.parse(reply.date ?? '')).not.toBeNaN()
  })

  it('serves a request with an absolute URL', async () => {
    const { origin } = await mounted({ prefix: '/leads' })
    const get = (path: string) =>
      exchange(origin, `GET http://a${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
    expect((await get('/leads/_sandbox/health')).status).toBe(200)
    expect(JSON.parse((await get('/leads/_sandbox-of-the-application')).body)).toEqual({ own: 'after' })
    expect(JSON.parse((await get('/before')).body)).toEqual({ own: 'before' })
  })

  it('leaves malformed requests to an application that handles them itself', async () => {
    const { server, origin } = await mounted({ prefix: '/leads' })
    server.on('clientError', (_error, socket) => void socket.end('HTTP/1.1 400 Mine\r\n\r\nmine'))
    await fetch(`${origin}/leads/_sandbox/health`)
    expect((await exchange(origin, 'hello\r\n\r\n')).body).toBe('mine')
  })
})
