import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type IncomingMessage, get as rawGet } from 'node:http'
import { text } from 'node:stream/consumers'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type SandboxServer, startServer } from '../server.ts'

let server: SandboxServer
beforeAll(async () => {
  server = await startServer({ port: 0, logLevel: 'silent' })
})
afterAll(() => server.close())

const headersOf = async (path: string, init?: RequestInit) => {
  const reply = await fetch(`${server.url}${path}`, init)
  await reply.arrayBuffer()
  return reply.headers
}

describe('helmet', () => {
  it.each([
    ['the reference', '/_sandbox/docs'],
    ['its files', '/_sandbox/docs/assets/swagger-ui.css'],
    ['the documents', '/_sandbox/openapi.json'],
    ['the control plane', '/_sandbox/v1/tenants'],
    ['the health check', '/_sandbox/health'],
    ['the advertiser', '/_sandbox/advertiser/nobody/nobody'],
    ['a missing page', '/_sandbox/nothing'],
  ])('sets its headers on %s', async (_name, path) => {
    const headers = await headersOf(path)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
    })
    expect(headers.get('strict-transport-security')).toBeNull()
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })

  it('leaves the policy of a simulator page unchanged', async () => {
    const policy = (await headersOf('/_sandbox/advertiser/nobody/nobody')).get('content-security-policy')
    expect(policy).toMatch(/style-src 'sha256-[\w+/]{43}='; form-action 'self'/)
    expect(policy).not.toMatch(/script-src|unsafe/)
  })

  it.each(['/api/v1/lead', '/api/v1/nothing', '/', '/_sandboxes'])('passes %s on unchanged', async path => {
    const headers = await headersOf(path, { method: 'POST' })
    expect([...headers.keys()].sort()).toEqual(
      [...headers.keys()].filter(name =>
        [
          'allow',
          'cache-control',
          'connection',
          'content-length',
          'content-type',
          'date',
          'keep-alive',
          'www-authenticate',
        ].includes(name),
      ),
    )
  })
})

it('preserves request bodies', async () => {
  const body = JSON.stringify({ name: 'through-the-pages', callback_url: `http://127.0.0.1:1/${'x'.repeat(100_000)}` })
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
  const replies = await Promise.all([
    fetch(`${server.url}/_sandbox/v1/tenants`, init),
    fetch(`${server.url}/_sandbox/v1/tenants`, init),
  ])
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 409])
})

const get = (path: string, init?: RequestInit) => fetch(`${server.url}/_sandbox${path}`, init)
const assets = [
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['swagger-ui-standalone-preset.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
  ['start.js', 'text/javascript; charset=utf-8'],
  ['theme.js', 'text/javascript; charset=utf-8'],
] as const

describe('the reference', () => {
  it('is a page without inline scripts that loads only from its own origin', async () => {
    const reply = await get('/docs')
    const html = await reply.text()
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(html).not.toMatch(/https?:|<script>|<script(?![^>]* src="\/_sandbox\/docs\/)/)
    expect(reply.headers.get('content-security-policy')).toBe(
      "default-src 'none';script-src 'self';style-src 'self' 'unsafe-inline';img-src 'self' data:;font-src 'self';" +
        "connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'",
    )
  })

  it('also has a URL with a trailing slash', async () => {
    expect(await (await get('/docs/')).text()).toBe(await (await get('/docs')).text())
  })

  it('loads only existing files', async () => {
    const html = await (await get('/docs')).text()
    const loaded = [...html.matchAll(/(?:src|href)="\/_sandbox\/docs\/assets\/([^"]+)"/g)].map(([, name]) => name)
    expect(loaded.sort()).toEqual(assets.map(([name]) => name).sort())
  })

  it.each(assets)('serves %s as %s, with revalidation', async (name, type) => {
    const reply = await get(`/docs/assets/${name}`)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, type])
    // The theme is the console's own script, and empty until the console is built.
    const isEmpty = name === 'theme.js' && !existsSync(new URL('../../console/index.html', import.meta.url))
    expect((await reply.arrayBuffer()).byteLength === 0).toBe(isEmpty)
    if (name === 'start.js' || name === 'theme.js') return
    // Without an explicit cache-control, fetch requests an uncached response.
    const headers = { 'if-none-match': reply.headers.get('etag') ?? '', 'cache-control': 'max-age=0' }
    const again = await get(`/docs/assets/${name}`, { headers })
    expect(again.status).toBe(304)
  })

  it.each([
    '/docs/assets/../package.json',
    '/docs/assets/../../../../../package.json',
    '/docs/assets/..\\package.json',
    '/docs/assets/%',
    '/docs/%2e%2e/docs',
    '/docs/assets/..%2fpackage.json',
    '/docs/assets/%2e%2e/package.json',
    '/docs/assets//swagger-ui.css',
    '/docs/assets/index.html',
    '/docs/assets/',
    '/docs/assets',
    '/DOCS',
  ])('serves nothing at %s', async path => {
    // Not with fetch, which resolves dot segments before sending.
    const request = rawGet({ host: '127.0.0.1', port: new URL(server.url).port, path: `/_sandbox${path}` })
    const [reply] = (await once(request, 'response')) as [IncomingMessage]
    expect([reply.statusCode, JSON.parse(await text(reply)).error]).toEqual([404, 'not_found'])
  })

  it.each(['/service.openapi.json', '/openapi.json'])('shows a valid OpenAPI 3.1 document: %s', async path => {
    const start = await (await get('/docs/assets/start.js')).text()
    expect(start).toContain(`"/_sandbox${path}"`)
    const document = (await (await get(path)).json()) as { servers: { url: string }[] }
    expect(document.servers[0]?.url).toMatch(new RegExp(`^${server.url}/`))
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: path, config })
    expect(
      problems.map(({ ruleId, message, location: [place] }) => `${ruleId} at ${place?.pointer}: ${message}`),
    ).toEqual([])
  })
})

it("includes the demo account's keys, unless the sandbox is shared", async () => {
  const adminToken = 'a-token-of-this-test'
  const shared = await startServer({ port: 0, logLevel: 'silent', adminToken })
  const scriptOf = async ({ url }: SandboxServer) => (await fetch(`${url}/_sandbox/docs/assets/start.js`)).text()
  const own = await scriptOf(server)
  expect(own).toContain(server.account().publisher.api_key)
  expect(own).toContain(server.account().advertisers[0]?.api_key)
  const other = await scriptOf(shared)
  expect([...other.matchAll(/sandbox_(pub|adv)_|a-token/g)]).toEqual([])
  await shared.close()
})

describe('the page for language models', () => {
  it("lists this sandbox's operations and documents, also at the root", async () => {
    const reply = await fetch(`${server.url}/llms.txt`)
    const page = await reply.text()
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(await (await get('/llms.txt')).text()).toBe(page)

    const links = [...page.matchAll(/\]\((.+?)\)/g)].map(([, link = '']) => link)
    const found = await Promise.all(links.map(async link => [link, (await fetch(link)).status]))
    expect(found).toEqual(links.map(link => [link, 200]))
    expect(links).toHaveLength(3)

    const { publisher } = server.account()
    expect(page).toContain(publisher.api_key)
    const calls = [...page.matchAll(/`(GET|POST) (http.+?)`/g)].map(([, method = '', url = '']) => ({ method, url }))
    expect(calls).toHaveLength(5)
    for (const { method, url } of calls)
      expect(await (await fetch(url, { method })).text()).not.toMatch(/no operation|method_not_allowed/i)
  })

  it('contains no keys if the sandbox is shared', async () => {
    const shared = await startServer({ port: 0, logLevel: 'silent', adminToken: 'a-token-of-this-test' })
    onTestFinished(() => shared.close())
    const page = await (await fetch(`${shared.url}/llms.txt`)).text()
    expect(page).toContain('Authorization: Bearer')
    expect(page).not.toMatch(/sandbox_pub_|a-token-of-this-test/)
  })
})
