import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Account } from '../adapters/adapter.ts'
import { launcher } from '../adapters/command-line.ts'
import { openReceiver } from '../adapters/receiver.ts'
import { submissionOf } from '../adapters/submission.ts'

const { start } = launcher()
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

describe('a server of its own process', { timeout: 30_000 }, () => {
  it('says in its first line where it is, and works by what that line holds [9/rule-3]', async () => {
    const server = await start()
    expect(server).toMatchObject({
      ready: true,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      tenant: { tenant: 'demo' },
    })
    expect(server.base_url).toBe(`${server.url}/api/v1`)
    expect((await submit(server, 'ana@example.com')).status).toBe('distributed')
    server.child.kill('SIGTERM')
    expect(await server.exit).toMatchObject({ code: 0, stderr: '' })
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('finishes a reply under way and then ends with 0 on %s', async signal => {
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
    // The server has the head of the request: from here on it is under way.
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

  it('is not kept from ending by a connection that is idle', async () => {
    const server = await start()
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    server.child.kill('SIGTERM')
    await expect.poll(() => server.child.exitCode, { timeout: 5000 }).toBe(0)
    socket.destroy()
  })

  it('is not kept from ending by a receiver that does not answer', async () => {
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
    await expect.poll(() => receiver.received.length, { interval: 5, timeout: 4000 }).toBe(1)
    server.child.kill('SIGTERM')
    await expect.poll(() => server.child.exitCode, { timeout: 5000 }).toBe(0)
  })

  it('keeps in its SQLite file what it has accepted, over SIGTERM and over SIGKILL', async () => {
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

  it('reads the profile of the demo tenant from a flag', async () => {
    const server = await start('--profile', 'formal')
    expect(server.tenant.settings).toMatchObject({ profile: 'formal', gender: 'required' })
  })

  it('lets callbacks go to a host that a flag names', async () => {
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

  it('makes equal credentials by an equal seed on a shared host, and asks for its token', async () => {
    const servers = await Promise.all(
      [1, 2].map(() => start('--host', '0.0.0.0', '--admin-token', 't0ken', '--seed', '7')),
    )
    const [one, other] = servers.map(({ tenant }) => tenant)
    expect(one?.publisher.api_key).toBe(other?.publisher.api_key)
    expect(one?.publisher.api_key).not.toContain('demo')
    const url = `${servers[0]?.url}/_sandbox/v1/tenants`
    expect((await fetch(url)).status).toBe(401)
    expect((await fetch(url, { headers: { authorization: 'Bearer t0ken' } })).status).toBe(200)
  })
})

/** Waits until nobody listens on a port any more. */
async function refusesConnections(port: number): Promise<void> {
  const refused = () =>
    new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1')
      socket.on('connect', () => socket.destroy())
      socket.on('error', () => undefined)
      socket.on('close', failed => resolve(failed))
    })
  await expect.poll(refused, { interval: 5, timeout: 5000 }).toBe(true)
}
