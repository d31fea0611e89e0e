import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createControlClient, routes } from '@lead-distribution/control-client/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sendByFetch } from './send-by-fetch.ts'

async function clientOf(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    const isClosed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await isClosed
  }
  onTestFinished(() => (server.listening ? stop() : undefined))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/_sandbox/v1`
  return { stop, client: createControlClient(sendByFetch({ url, adminToken: 'secret' }), routes) }
}

describe('a call by fetch', () => {
  it('sends the token, the query and the body, and resolves to the JSON of the response', async () => {
    const seen: unknown[] = []
    const { client } = await clientOf(async (request, response) => {
      const body = (await request.toArray()).join('')
      seen.push([request.method, request.url, request.headers.authorization, body])
      response.setHeader('content-type', 'application/json').end('{"leads":[],"by":1}')
    })
    await client.control('demo').leads.list({ limit: 5 })
    await client.control('demo').clock.advance({ by: 'PT1H' })
    expect(seen).toEqual([
      ['GET', '/_sandbox/v1/tenants/demo/leads?limit=5', 'Bearer secret', ''],
      ['POST', '/_sandbox/v1/tenants/demo/clock/advance', 'Bearer secret', '{"by":"PT1H"}'],
    ])
  })

  it.each([
    {
      title: 'an error of the sandbox',
      status: 403,
      body: '{"error":"forbidden","message":"Not this tenant."}',
      expected: { status: 403, code: 'forbidden', reason: 'Not this tenant.' },
    },
    { title: 'another server', status: 502, body: '{"oops":1}', expected: { status: 502, code: 'not_a_sandbox' } },
    { title: 'a page', status: 200, body: '<html>', expected: { status: 0, code: 'not_a_sandbox' } },
  ])('says that $title responds', async ({ status, body, expected }) => {
    const { client } = await clientOf((_request, response) => response.writeHead(status).end(body))
    await expect(client.listTenants()).rejects.toMatchObject(expected)
  })

  it('says that the address redirects, and to where', async () => {
    const location = 'https://login.example/sign-in?state=hunter2'
    const { client } = await clientOf((_request, response) => response.writeHead(302, { location }).end())
    const error = await client.listTenants().catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ status: 302, code: 'not_a_sandbox' })
    expect(String(error)).toContain('redirects to https://login.example/sign-in and')
  })

  it('says that the address redirects where the browser hides to where', async () => {
    const hidden = { type: 'opaqueredirect', status: 0, ok: false, headers: new Headers() } as Response
    const url = 'http://127.0.0.1:4010/_sandbox/v1'
    const client = createControlClient(sendByFetch({ url, adminToken: undefined, fetch: async () => hidden }), routes)
    await expect(client.listTenants()).rejects.toThrow('http://127.0.0.1:4010 redirects and does not respond')
  })

  it('tells a response that was cut from no response at all', async () => {
    const { client, stop } = await clientOf((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{')
      setImmediate(() => response.destroy())
    })
    await expect(client.listTenants()).rejects.toMatchObject({ code: 'connection_lost' })
    await stop()
    await expect(client.listTenants()).rejects.toMatchObject({ code: 'unreachable' })
  })

  it('reads a stream until its reader gives up', async () => {
    const { client } = await clientOf((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 1\ndata: {"type":"ready"}\n\n')
    })
    const controller = new AbortController()
    const events = client.control('demo').events({ signal: controller.signal })
    expect((await events.next()).value).toEqual({ type: 'ready', id: '1' })
    const next = events.next()
    controller.abort(new Error('gone'))
    await expect(next).rejects.toThrow('gone')
  })
})
