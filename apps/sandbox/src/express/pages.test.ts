import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
    ['the advertiser', '/_sandbox/lender/nobody/nobody'],
    ['what is not there', '/_sandbox/nothing'],
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

  it('leaves to a page of the simulator what that page may load', async () => {
    const policy = (await headersOf('/_sandbox/lender/nobody/nobody')).get('content-security-policy')
    expect(policy).toContain("frame-src 'self'")
    expect(policy).not.toContain('script-src')
  })

  it.each(['/api/v1/lead', '/api/v1/nothing', '/', '/_sandboxes'])('leaves %s as the service has it', async path => {
    const headers = await headersOf(path, { method: 'POST' })
    expect([...headers.keys()].sort()).toEqual(
      [...headers.keys()].filter(name =>
        ['allow', 'cache-control', 'connection', 'content-length', 'content-type', 'date', 'keep-alive'].includes(name),
      ),
    )
  })
})

it('takes a body through the pages whole', async () => {
  const body = JSON.stringify({ name: 'through-the-pages', callback_url: `http://127.0.0.1:1/${'x'.repeat(100_000)}` })
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
  const replies = await Promise.all([
    fetch(`${server.url}/_sandbox/v1/tenants`, init),
    fetch(`${server.url}/_sandbox/v1/tenants`, init),
  ])
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 409])
})
