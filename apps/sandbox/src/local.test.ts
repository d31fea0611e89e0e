import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { demoAccount } from '@lead-distribution/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RefusedStart } from './open-sandbox.ts'
import { type ServerOptions, startServer } from './server.ts'
import { temporaryFile } from './storage/contract/storage.fixture.ts'

/** Starts a sandbox that listens on every address and declares that only this machine can reach it. */
async function startLocal(options: ServerOptions = {}) {
  const server = await startServer({ host: '0.0.0.0', local: true, port: 0, logLevel: 'silent', ...options })
  onTestFinished(() => server.close())
  return server
}

async function send(url: string, headers: Record<string, string>, method = 'GET', body?: string) {
  const sent = request(url, { method, headers })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode, body: await text(response) }
}

describe('a sandbox with --local', () => {
  it('has the documented keys and requires no token, although it listens on every address', async () => {
    const server = await startLocal()
    const { publisher, base_url } = server.account()
    expect([publisher.api_key, base_url]).toEqual([demoAccount.publisher_key, `${server.url}/api/v1`])
    expect((await fetch(`${server.url}/_sandbox/v1/tenants`)).status).toBe(200)
  })

  it.each(['127.0.0.1', 'LOCALHOST:80', '[::1]:4010', 'leads.localhost'])('responds as %s', async host => {
    const { url } = await startLocal()
    expect((await send(`${url}/_sandbox/v1/tenants`, { host })).status).toBe(200)
    expect((await send(`${url}/api/v1/lead`, { host }, 'POST')).status).toBe(401)
  })

  const paths = [
    '/',
    '/_sandbox',
    '/_sandbox/',
    '/_sandbox/assets/console.js',
    '/_sandbox/docs',
    '/_sandbox/docs/assets/start.js',
    '/_sandbox/health',
    '/_sandbox/inbox/demo',
    '/_sandbox/openapi.json',
    '/_sandbox/v1/tenants',
    '/api/v1/lead',
    '/llms.txt',
  ]
  it.each(paths)('refuses %s under any other name, to prevent DNS rebinding', async path => {
    const { url } = await startLocal()
    for (const host of ['sandbox:4010', '172.17.0.2:4010', '0.0.0.0', 'localhost.example'])
      expect({ host, ...(await send(url + path, { host, accept: 'text/html' })) }).toEqual({
        host,
        status: 403,
        body: expect.stringContaining('"error":"forbidden"'),
      })
  })

  it('refuses pages from other origins, like on 127.0.0.1', async () => {
    const { url } = await startLocal()
    const page = { origin: 'http://page.example' }
    expect((await send(`${url}/_sandbox/v1/tenants/demo/reset`, page, 'POST')).status).toBe(403)
    expect((await send(`${url}/_sandbox/inbox/demo?lead_id=1&event=approved`, page)).status).toBe(403)
  })

  it('has the same restrictions on callbacks as any sandbox', async () => {
    const { url } = await startLocal()
    const body = JSON.stringify({ callback_url: 'http://qa.example/callbacks' })
    const changed = await send(`${url}/_sandbox/v1/tenants/demo`, { 'content-type': 'application/json' }, 'PATCH', body)
    expect([changed.status, changed.body]).toEqual([400, expect.stringContaining('--allow-callback-host qa.example')])
  })

  it('ignores allowed hosts, and lets nobody allow more', async () => {
    const data = temporaryFile('sandbox.db')
    const adminToken = 'a-token-of-this-test'
    const shared = await startServer({ port: 0, logLevel: 'silent', data, adminToken })
    const json = { 'content-type': 'application/json' }
    const allow = (url: string, host: string, headers = {}) =>
      send(`${url}/_sandbox/v1/tenants/demo/hosts`, { ...json, ...headers }, 'POST', JSON.stringify({ host }))
    const allowed = await allow(shared.url, 'qa.example', { authorization: `Bearer ${adminToken}` })
    await shared.close()
    expect(allowed.status).toBe(200)

    const { url } = await startLocal({ data, allowedCallbackHosts: ['at-start.example'] })
    for (const host of ['10.0.0.5:8080', 'qa.example', '127.0.0.1:3000']) {
      const { status, body } = await allow(url, host)
      expect([host, status, JSON.parse(body).error]).toEqual([host, 403, 'forbidden'])
      expect(body).toMatch(/--allow-callback-host .*--admin-token/)
    }
    const { body } = await send(`${url}/_sandbox/v1/tenants/demo/hosts`, {})
    expect(JSON.parse(body)).toEqual({ hosts: [{ host: 'at-start.example', allowed: 'at_start' }] })
    const change = async (name: string) => {
      const callback = JSON.stringify({ callback_url: `http://${name}/callbacks` })
      return (await send(`${url}/_sandbox/v1/tenants/demo`, json, 'PATCH', callback)).status
    }
    expect([await change('qa.example'), await change('at-start.example')]).toEqual([400, 200])
  })

  it.each<[string, ServerOptions, string]>([
    ['an admin token', { adminToken: 'a-token-of-this-test' }, 'LEAD_SANDBOX_ADMIN_TOKEN'],
    ['a public URL on another machine', { publicUrl: 'http://qa.example:4010' }, '--admin-token'],
    ['no flags', { local: false }, '--admin-token'],
  ])('does not start with %s', async (_what, options, flag) => {
    const error = await startLocal(options).catch(error => error)
    expect([error instanceof RefusedStart, error.message]).toEqual([true, expect.stringContaining(flag)])
  })
})
