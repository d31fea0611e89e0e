import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Account, fetchAdapter } from '../adapters/adapter.ts'
import { launcher } from '../adapters/command-line.ts'
import { openReceiver, type Receiver } from '../adapters/receiver.ts'
import { createTenant, submissionOf, Tenant } from '../adapters/tenant.ts'

const { run, start } = launcher()
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-process-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function submit({ base_url, tenant }: { base_url: string; tenant: Account }, email: string) {
  const reply = await fetch(`${base_url}/lead`, {
    method: 'POST',
    headers: { apikey: tenant.publisher.api_key, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(submissionOf(tenant, email)),
  })
  return (await reply.json()) as { status: string; lead_id?: string; rejection_reason?: string }
}

describe('a server in a separate process', () => {
  it.each([
    [[], 'full'],
    [['--admin-token', 'T0ken-of-the-operator'], 'masked'],
  ])('with the flags %j keeps calls %s', async (flags, kept) => {
    const { tenant, child, exit } = await start(...flags)
    expect(tenant).toMatchObject({ settings: { journal_bodies: kept } })
    child.kill('SIGTERM')
    await exit
  })

  it('prints its address in its first line, and works at it [9/rule-3]', async () => {
    const server = await start()
    expect(server).toMatchObject({
      ready: true,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      tenant: { tenant: 'demo' },
    })
    expect(server.base_url).toBe(`${server.url}/api/v1`)
    expect((await submit(server, 'ana@example.com')).status).toBe('distributed')
    server.child.kill('SIGTERM')
    expect(await server.exit).toMatchObject({ code: 0 })
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('finishes a request in flight, then exits with 0 on %s', async signal => {
    const server = await start()
    const body = JSON.stringify(submissionOf(server.tenant, 'ana@example.com'))
    const { hostname, port } = new URL(server.url)
    const outgoing = request({
      hostname,
      port,
      path: '/api/v1/lead',
      method: 'POST',
      headers: {
        apikey: server.tenant.publisher.api_key,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        expect: '100-continue',
      },
    })
    const replied = once(outgoing, 'response')
    outgoing.flushHeaders()
    // The server has the request's head, so the request is now in flight.
    await once(outgoing, 'continue')
    server.child.kill(signal)
    await refusesConnections(Number(port))
    outgoing.end(body)
    const [response] = await replied
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    expect([response.statusCode, JSON.parse(Buffer.concat(chunks).toString()).status]).toEqual([200, 'distributed'])
    expect(await server.exit).toMatchObject({ code: 0 })
  })

  it('exits despite a receiver that does not respond', async () => {
    await using receiver = await openReceiver(() => undefined)
    const server = await start()
    const { lead_id } = await submit(server, 'ana@example.com')
    const tenant = `${server.url}/_sandbox/v1/tenants/demo`
    const change = { callback_url: receiver.url, settings: { callback_timeout: 'PT1H' } }
    const headers = { 'content-type': 'application/json' }
    await fetch(tenant, { method: 'PATCH', headers, body: JSON.stringify(change) })
    const lead = (await (await fetch(`${tenant}/leads/${lead_id}`)).json()) as {
      deliveries: { postback_url: string }[]
    }
    await fetch(`${lead.deliveries[0]?.postback_url}&event=approved`)
    await expect.poll(() => receiver.received.length).toBe(1)
    server.child.kill('SIGTERM')
    await expect.poll(() => server.child.exitCode).toBe(0)
  })

  it('stores everything that it accepted in its SQLite file, across SIGTERM and SIGKILL', async () => {
    const data = join(folder, 'kept.db')
    const leads: (string | undefined)[] = []
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const server = await start('--data', data)
      const { lead_id, status } = await submit(server, `${signal}@example.com`)
      expect(status).toBe('distributed')
      leads.push(lead_id)
      server.child.kill(signal)
      await server.exit
    }
    const server = await start('--data', data)
    for (const signal of ['sigterm', 'sigkill'])
      expect(await submit(server, `${signal}@example.com`)).toMatchObject({
        rejection_reason: 'customer_already_exists',
      })
    for (const lead of leads) {
      const reply = await fetch(`${server.url}/_sandbox/v1/tenants/demo/leads/${lead}`)
      expect(((await reply.json()) as { status: string }).status).toBe('distributed')
    }
    const { lead_id } = await submit(server, 'fresh@example.com')
    expect(leads).not.toContain(lead_id)
    server.child.kill('SIGTERM')
    expect(await server.exit).toMatchObject({ code: 0 })
  })

  it('allows callbacks to a host named by a flag', async () => {
    const server = await start('--allow-callback-host', 'QA.example', '--allow-callback-host', 'other.example')
    const make = async (callback_url: string) => {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ callback_url }),
      }
      return (await fetch(`${server.url}/_sandbox/v1/tenants`, init)).status
    }
    expect([
      await make('http://qa.example/'),
      await make('http://other.example/'),
      await make('http://third.example/'),
    ]).toEqual([201, 201, 400])
  })

  it('generates equal credentials from an equal seed on a shared host, and requires its token', async () => {
    const servers = await Promise.all(
      [1, 2].map(() => start('--host', '0.0.0.0', '--admin-token', 't0ken-of-the-team', '--seed', '7')),
    )
    const [one, other] = servers.map(({ tenant }) => tenant)
    expect(one?.publisher.api_key).toBe(other?.publisher.api_key)
    expect(one?.publisher.api_key).not.toContain('demo')
    servers[0]?.child.kill('SIGTERM')
    expect((await servers[0]?.exit)?.stderr).toContain('Anyone who knows the seed can compute the keys')
    const url = `${servers[1]?.url}/_sandbox/v1/tenants`
    expect((await fetch(url)).status).toBe(401)
    expect((await fetch(url, { headers: { authorization: 'Bearer t0ken-of-the-team' } })).status).toBe(200)
  })

  it('generates the demo account of a shared host once, and keeps it across a restart', async () => {
    const shared = ['--host', '0.0.0.0', '--admin-token', 't0ken-of-the-team']
    const data = ['--data', join(folder, 'team.db')]
    const first = await start(...shared, ...data)
    first.child.kill('SIGTERM')
    await first.exit
    const [again, other] = await Promise.all([start(...shared, ...data), start(...shared)])
    const keyOf = ({ tenant }: typeof first) => tenant.publisher.api_key
    expect(keyOf(again)).toBe(keyOf(first))
    expect(new Set([keyOf(first), keyOf(other), 'sandbox_pub_demo_0000000000000000']).size).toBe(3)
  })
})

/** Waits until nothing listens on a port anymore. */
async function refusesConnections(port: number): Promise<void> {
  const refused = () =>
    new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1')
      socket.on('connect', () => socket.destroy())
      socket.on('error', () => undefined)
      socket.on('close', failed => resolve(failed))
    })
  await expect.poll(refused).toBe(true)
}

describe('a usage error', () => {
  it.each([
    ['a host that others can reach, without a token', ['--port', '0', '--host', '0.0.0.0'], /--admin-token/],
    [
      'an address that does not belong to this machine',
      ['--port', '0', '--host', '192.0.2.1', '--admin-token', 't0ken-of-the-team'],
      /--host/,
    ],
  ])('exits with 2 and says what to do: %s', async (_title, args, message) => {
    const { code, stdout, stderr } = await run('start', ...args).exit
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain('    at ')
  })
})
const noon = '2026-06-15T12:00:00.000Z'

/** A server that is killed with a callback pending or in flight, then restarted on the same file. */
async function killed(receiver: Receiver, creation: object, until: (tenant: Tenant, lead: string) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-kill-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const data = join(folder, 'sandbox.db')
  const first = await start('--data', data)
  const tenant = await createTenant(fetchAdapter(first.url), { callback_url: receiver.url, ...creation })
  const lead = await tenant.distributedLead()
  await tenant.pixel(lead, 'approved')
  await until(tenant, lead)
  first.child.kill('SIGKILL')
  expect((await first.exit).signal).toBe('SIGKILL')
  const again = await start('--data', data)
  return { tenant: new Tenant(fetchAdapter(again.url), tenant.account), lead }
}

describe('a killed server', () => {
  it('continues, after a restart, with a callback that waited for its retry', async () => {
    await using receiver = await openReceiver((response, nth) => response.writeHead(nth === 1 ? 503 : 200).end())
    const { tenant, lead } = await killed(receiver, { frozen_at: noon }, async (tenant, lead) => {
      await expect
        .poll(async () => (await tenant.lead(lead)).callbacks)
        .toMatchObject([{ state: 'pending', attempts: [{ status: 503 }] }])
    })
    expect((await tenant.lead(lead)).callbacks).toMatchObject([{ state: 'pending', attempts: [{ status: 503 }] }])
    await tenant.control('POST', '/clock/advance', { body: { by: 'PT5S' } })
    expect((await tenant.lead(lead)).callbacks).toMatchObject([
      { state: 'delivered', attempts: [{ status: 503 }, { status: 200 }] },
    ])
    expect(receiver.received).toHaveLength(2)
  })

  it('still holds callbacks after a restart', async () => {
    await using receiver = await openReceiver()
    const { tenant } = await killed(receiver, { frozen_at: noon }, async (tenant, lead) => {
      await tenant.client.callbacks.wait({ leadId: lead })
      await tenant.client.callbacks.hold()
      await tenant.pixel(lead, 'registration')
    })
    expect([await tenant.client.clock.advance({ by: 'P30D' }), receiver.received]).toMatchObject([{ held: 1 }, [{}]])
    expect([await tenant.client.callbacks.release(), receiver.received]).toMatchObject([{}, { length: 2 }])
  })

  it('resends a callback that was in flight when it was killed', async () => {
    await using receiver = await openReceiver((response, nth) => void (nth > 1 && response.end()))
    const { tenant, lead } = await killed(receiver, {}, async () => {
      await expect.poll(() => receiver.received.length).toBe(1)
    })
    const { status, json } = await tenant.control('GET', `/callbacks/wait?lead_id=${lead}`)
    expect([status, json.attempts?.length, receiver.received.length]).toEqual([200, 1, 2])
  })
})
