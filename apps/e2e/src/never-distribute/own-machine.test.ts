import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerOptions, startServer } from '@lead-distribution/sandbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { freePort } from '../adapters/sockets.ts'
import { createTenant, Tenant, tenantsPath } from '../adapters/tenant.ts'

const adminToken = 'T0ken-of-the-operator'
const shared: ServerOptions = { host: '0.0.0.0', adminToken }

/** Another server on the sandbox's machine, and the requests that it received. */
async function openNeighbor() {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { requests, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}/chosen?by=team` }
}

/** Sets the demo tenant's callback URL as the operator of a sandbox with a public URL. */
async function openBehind(publicUrl: string, options: ServerOptions = {}) {
  const port = await freePort()
  const server = await startServer({ port, logLevel: 'silent', publicUrl, adminToken, ...options })
  onTestFinished(() => server.close())
  return {
    port,
    async change(callback_url: string) {
      const response = await fetch(`http://127.0.0.1:${port}${tenantsPath}/demo`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` },
        body: JSON.stringify({ callback_url }),
      })
      const { details } = (await response.json()) as { details?: { issue: string }[] }
      return { status: response.status, issue: details?.[0]?.issue }
    },
  }
}

/** A sandbox, called with a token if it requires one. */
async function open(options: ServerOptions, token = options.adminToken) {
  const adapter = await openExpressAdapter(options)
  onTestFinished(() => adapter.close())
  const by = (bearer: string | undefined): Adapter => ({
    ...adapter,
    request: (method, target, { headers, ...more } = {}) =>
      adapter.request(method, target, {
        ...more,
        headers: { ...(bearer && { authorization: `Bearer ${bearer}` }), ...headers },
      }),
  })
  return { adapter: by(token), by }
}

describe('a shared sandbox', () => {
  it('calls no port of its own machine for a team and reveals nothing about it until the operator allows it', async () => {
    const neighbor = await openNeighbor()
    const { adapter, by } = await open(shared)
    const operator = await createTenant(adapter, { settings: { callback_retries: [] } })
    const { token } = (await operator.control('POST', '/tokens', { body: { role: 'write' } })).json
    const team = new Tenant(by(token), operator.account)
    const advertiser_id = team.account.advertisers[0]?.advertiser_id
    const backend = { advertisers: [{ advertiser_id, backend_url: neighbor.url }] }

    for (const body of [{ callback_url: neighbor.url }, backend]) {
      const { status, json } = await team.control('PATCH', '', { body })
      expect(status).toBe(400)
      expect(json.details[0].issue).toContain(`--allow-callback-host ${neighbor.host}`)
    }
    expect((await team.control('POST', '/hosts', { body: { host: neighbor.host } })).status).toBe(403)
    const withoutPort = await operator.control('POST', '/hosts', { body: { host: '127.0.0.1' } })
    expect([withoutPort.status, withoutPort.json.details[0].issue]).toEqual([
      400,
      expect.stringContaining('must name a port'),
    ])
    expect(neighbor.requests).toEqual([])

    expect((await operator.control('POST', '/hosts', { body: { host: neighbor.host } })).status).toBe(200)
    expect((await team.control('PATCH', '', { body: { callback_url: neighbor.url, ...backend } })).status).toBe(200)
    const lead = await team.distributedLead()
    await team.pixel(lead, 'approved')
    await team.settledCallbacks(lead)
    expect(neighbor.requests).toEqual(['POST /chosen?by=team', `GET /chosen?by=team&lead_id=${lead}&event=loan_issued`])

    await operator.control('DELETE', `/hosts/${encodeURIComponent(neighbor.host)}`)
    const next = await team.distributedLead()
    await team.pixel(next, 'approved')
    const [{ state, attempts }] = await team.settledCallbacks(next)
    expect([state, attempts[0].error]).toEqual(['failed', expect.stringContaining('not sent')])
    expect(neighbor.requests).toHaveLength(2)
  })

  it('does not call a URL that was set before it was shared', async () => {
    const neighbor = await openNeighbor()
    const folder = await mkdtemp(join(tmpdir(), 'own-machine-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const data = join(folder, 'sandbox.db')
    const alone = await openExpressAdapter({ data })
    const creation = { callback_url: neighbor.url, settings: { callback_retries: [] } }
    const { account } = await createTenant(alone, creation)
    await alone.close()

    const { adapter } = await open({ ...shared, data })
    const tenant = new Tenant(adapter, (await adapter.request('GET', `${tenantsPath}/${account.tenant}`)).json)
    const lead = await tenant.distributedLead()
    await tenant.pixel(lead, 'approved')
    const [{ state, attempts }] = await tenant.settledCallbacks(lead)
    expect([state, attempts[0].error]).toEqual([
      'failed',
      expect.stringContaining(`--allow-callback-host ${neighbor.host}`),
    ])
    expect(neighbor.requests).toEqual([])
  })

  it.each([
    ['--host of a network', { host: '0.0.0.0', adminToken }],
    ['--public-url of a network', { publicUrl: 'https://sandbox.example', adminToken }],
  ])('is a sandbox with %s: a host of this machine is allowed only with its port', async (_flag, options) => {
    const start = (host: string) =>
      startServer({ port: 0, logLevel: 'silent', ...options, allowedCallbackHosts: [host] })
    await expect(start('localhost')).rejects.toThrow(
      '--allow-callback-host localhost must name a port, such as localhost:3000',
    )
    await (await start('localhost:3000')).close()
  })

  it('is not a sandbox whose public URL is on this machine: its ports need no flag', async () => {
    const neighbor = await openNeighbor()
    const { change } = await openBehind('http://localhost:1')
    expect((await change(neighbor.url)).status).toBe(200)
    expect((await change('http://localhost:1/')).issue).toContain('the sandbox itself')
  })
})

describe('the port of the sandbox itself', () => {
  it.each([
    ['on this machine', {}],
    ['shared', shared],
  ])('is not a valid target of a sandbox %s, by any of its names', async (_title, options: ServerOptions) => {
    const { adapter } = await open({ ...options, port: 0 }, adminToken)
    const tenant = await createTenant(adapter)
    const { port } = new URL(adapter.url)
    const names = ['127.0.0.1', 'localhost', '[::1]', '127.3.3.3', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]']
    for (const name of names)
      for (const path of ['/_sandbox/v1/tenants', '/_sandbox/inbox/demo', '/api/v1/lead', '/']) {
        const callback_url = `http://${name}:${port}${path}`
        const { status, json } = await tenant.control('PATCH', '', { body: { callback_url } })
        expect([callback_url, status, json.details[0].issue]).toEqual([
          callback_url,
          400,
          expect.stringMatching(/the sandbox itself|no flag allows it/),
        ])
      }
  })

  it('is not a valid target behind a public URL either, nor is that URL, whatever the operator allows', async () => {
    const allowedCallbackHosts = ['sandbox.example', 'qa.example']
    const { port, change } = await openBehind('https://sandbox.example', { allowedCallbackHosts })
    for (const url of [
      'https://sandbox.example/cb',
      `http://127.0.0.1:${port}/`,
      `http://localhost:${port}/_sandbox/inbox/demo`,
    ])
      expect(await change(url)).toEqual({ status: 400, issue: expect.stringContaining('the sandbox itself') })
    expect((await change('https://qa.example/cb')).status).toBe(200)
  })

  it.each([
    ['on this machine', {}],
    ['shared', shared],
  ])("receives callbacks in a tenant's inbox, in process, on a sandbox %s", async (_title, options: ServerOptions) => {
    const { adapter } = await open(options)
    const tenant = await createTenant(adapter)
    const { callback_url: inbox } = tenant.account.publisher
    for (const callback_url of [inbox, `${inbox}?source=own`, null]) {
      expect((await tenant.control('PATCH', '', { body: { callback_url } })).status).toBe(200)
      const lead = await tenant.distributedLead()
      await tenant.pixel(lead, 'approved')
      expect((await tenant.settledCallbacks(lead)).map(({ state }: { state: string }) => state)).toEqual(['delivered'])
    }
    expect((await tenant.control('GET', '/inbox')).json.callbacks).toHaveLength(3)
  })
})
