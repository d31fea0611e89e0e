import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

const adminToken = 'T0ken-of-the-operator'
const authorization = `Bearer ${adminToken}`

/** The limit on requests in flight, lower than the number that wait here. */
const maxRequests = 40

describe('on a shared sandbox, through real sockets', () => {
  let adapter: Adapter
  let team: Tenant
  let other: Tenant
  let readToken: string
  beforeEach(async () => {
    adapter = await openExpressAdapter({ adminToken, limits: { maxRequests } })
    onTestFinished(() => adapter.close())
    const asOperator: Adapter = {
      ...adapter,
      request: (method, target, { headers, ...options } = {}) =>
        adapter.request(method, target, { ...options, headers: { authorization, ...headers } }),
    }
    team = await createTenant(asOperator)
    other = await createTenant(asOperator)
    readToken = (await team.control('POST', '/tokens', { body: { role: 'read' } })).json.token
  })

  /** Sends a request on a separate connection, and does not wait for its response. */
  function send(method: string, path: string, headers: Record<string, string>, body = ''): ClientRequest {
    const outgoing = httpRequest(`${adapter.url}${path}`, { method, headers, agent: false })
    outgoing.on('error', () => undefined)
    outgoing.end(body)
    onTestFinished(() => void outgoing.destroy())
    return outgoing
  }

  const read = (tenant: Tenant, path: string) =>
    send('GET', `/_sandbox/v1/tenants/${tenant.account.tenant}${path}`, { authorization: `Bearer ${readToken}` })

  async function gauge(name: string): Promise<number> {
    const { text } = await adapter.request('GET', '/_sandbox/metrics', { headers: { authorization } })
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
  }

  /** Sends a hundred requests that wait, a few at a time, because each is in flight until it waits. */
  async function waitHundredfold(sendNext: (nth: number) => ClientRequest): Promise<ClientRequest[]> {
    const waiting: ClientRequest[] = []
    while (waiting.length < 100) {
      for (let nth = 0; nth < 20; nth++) waiting.push(sendNext(waiting.length))
      await expect.poll(() => gauge('lead_sandbox_waiting_requests')).toBe(waiting.length)
    }
    return waiting
  }

  /** Closes a request's connection as soon as it is sent. */
  async function abandon(outgoing: ClientRequest): Promise<void> {
    await once(outgoing, 'finish')
    outgoing.destroy()
  }

  /** Expects that another team gets a page of the control plane, and distributes a lead. */
  async function othersAreAnswered() {
    expect((await other.control('GET', '/leads')).status).toBe(200)
    expect((await other.submit()).json.status).toBe('distributed')
  }

  const statusOf = async (outgoing: ClientRequest) => ((await once(outgoing, 'response')) as [IncomingMessage])[0]

  it('a team with the maximum of waits for callbacks blocks no other team, and gets its slots back', async () => {
    const lead = await team.distributedLead()
    const path = `/callbacks/wait?lead_id=${lead}&timeout_ms=60000`
    const waits = await waitHundredfold(() => read(team, path))
    const refused = await statusOf(read(team, path))
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1'])
    await othersAreAnswered()
    for (const wait of waits) wait.destroy()
    await expect.poll(() => gauge('lead_sandbox_waiting_requests')).toBe(0)
    const next = read(team, path)
    await team.pixel(lead, 'approved')
    expect((await statusOf(next)).statusCode).toBe(200)
  })

  it('thousands of abandoned waits leave nothing behind', async () => {
    const lead = await team.distributedLead()
    const wait = () => read(team, `/callbacks/wait?lead_id=${lead}&timeout_ms=60000`)
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 100 }, wait).map(abandon))
    await expect.poll(() => gauge('lead_sandbox_waiting_requests')).toBe(0)
    // The last ones may still be in flight.
    await expect.poll(async () => (await other.control('GET', '/leads')).status).toBe(200)
    await othersAreAnswered()
    await waitHundredfold(wait)
  })

  it('requests delayed by a fault do not block another team, and one whose caller left ends at once', async () => {
    const fault = { match: { operation: 'submitLead' }, effect: { latency_ms: 600_000 } }
    await team.control('POST', '/faults', { body: fault })
    const headers = { 'content-type': 'application/json', apikey: team.publisherKey }
    const calls = await waitHundredfold(nth =>
      send('POST', '/api/v1/lead', headers, JSON.stringify(team.body({}, `ana-${nth}@example.com`))),
    )
    await othersAreAnswered()
    for (const call of calls) call.destroy()
    await expect.poll(() => gauge('lead_sandbox_waiting_requests')).toBe(0)
    await expect.poll(async () => (await team.control('GET', '/leads?limit=200')).json.leads.length).toBe(100)
  })

  it("a team's streams do not block those of another team or of the operator", async () => {
    const streams: ClientRequest[] = []
    // A few at a time, because each is in flight until it streams.
    while (streams.length < 100) {
      const some = Array.from({ length: 20 }, () => read(team, '/events'))
      for (const { statusCode } of await Promise.all(some.map(statusOf))) expect(statusCode).toBe(200)
      streams.push(...some)
    }
    expect((await statusOf(read(team, '/events'))).statusCode).toBe(429)
    // Its stream of all tenants contains only its own.
    const ofAll = send('GET', '/_sandbox/v1/events', { authorization: `Bearer ${readToken}` })
    expect((await statusOf(ofAll)).statusCode).toBe(429)
    for (const path of [`/_sandbox/v1/tenants/${other.account.tenant}/events`, '/_sandbox/v1/events'])
      expect((await statusOf(send('GET', path, { authorization }))).statusCode).toBe(200)
    for (const stream of streams) stream.destroy()
    await expect.poll(() => gauge('lead_sandbox_streams')).toBe(2)
  })
})
