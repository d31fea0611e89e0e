import { describe, expect, it } from 'vitest'
import { ControlError, connectSandbox, createControlClient, type SandboxEvent } from './index.ts'
import { type Intercept, startSandbox } from './sandbox-server.fixture.ts'

/** Returns the events in pieces of text from a sandbox. */
async function eventsOf(...pieces: string[]): Promise<SandboxEvent[]> {
  async function* sent() {
    yield* pieces
  }
  const events: SandboxEvent[] = []
  for await (const event of createControlClient(async () => sent()).events()) events.push(event)
  return events
}

/** Returns the next event of a stream. */
async function next(events: AsyncIterator<SandboxEvent>): Promise<SandboxEvent> {
  const { done, value } = await events.next()
  return done ? expect.unreachable('the stream ended') : value
}

/** Returns the error with which the stream fails. */
const failure = (events: AsyncIterator<SandboxEvent>) => events.next().catch((error: unknown) => error)

/** Opens a tenant of a sandbox on a socket, and streams its events from the beginning. */
async function openStream(intercept?: Intercept) {
  const server = await startSandbox(intercept && { intercept })
  const sandbox = await connectSandbox(server.url)
  const gaveUp = new AbortController()
  const events = sandbox.tenant.events({ signal: gaveUp.signal })
  return { ...server, sandbox, tenant: sandbox.tenant, events, gaveUp }
}

describe('the text of an event stream', () => {
  const text =
    'id: s-0\nevent: ready\ndata: {"type":"ready"}\n\n: a comment\n\nevent: reset\ndata: {"type":"reset"}\n\n'
  const events = [{ type: 'ready', id: 's-0' }, { type: 'reset' }]

  it('is parsed regardless of chunk boundaries', async () => {
    expect(await eventsOf(text)).toEqual(events)
    expect(await eventsOf(...text)).toEqual(events)
    for (let cut = 1; cut < text.length; cut++)
      expect(await eventsOf(text.slice(0, cut), text.slice(cut))).toEqual(events)
  })

  it('yields no incomplete event at the end', async () => {
    expect(await eventsOf(text.slice(0, -1))).toEqual(events.slice(0, 1))
  })
})

describe("a tenant's events", () => {
  it('arrive as they happen, and resume after the last id', async () => {
    const { tenant, events } = await openStream()
    expect(await next(events)).toEqual({ type: 'ready', id: expect.any(String) })
    await tenant.clock.freeze()
    const frozen = await next(events)
    expect(frozen).toMatchObject({ type: 'clock', tenant: 'demo', clock: { mode: 'frozen' } })
    await events.return?.()
    await tenant.clock.resume()
    const later = tenant.events({ lastEventId: frozen.id })
    expect(await next(later)).toEqual({ type: 'ready', id: frozen.id })
    expect(await next(later)).toMatchObject({ type: 'clock', clock: { mode: 'running' } })
    await later.return?.()
  })

  it("include every change of the inbox's response", async () => {
    const { tenant, events } = await openStream()
    expect(await next(events)).toMatchObject({ type: 'ready' })
    await tenant.inbox.change({ status: 503, times: 2 })
    expect(await next(events)).toMatchObject({ type: 'inbox', tenant: 'demo', inbox: { status: 503, times: 2 } })
    await events.return?.()
  })

  it('are also streamed for all tenants', async () => {
    const { sandbox } = await openStream()
    const events = sandbox.events()
    expect(await next(events)).toMatchObject({ type: 'ready' })
    const tenant = await sandbox.createTenant({ name: 'qa' })
    expect(await next(events)).toMatchObject({ type: 'tenant', tenant: 'qa', change: 'created' })
    await tenant.delete()
    expect(await next(events)).toMatchObject({ type: 'tenant', tenant: 'qa', change: 'deleted' })
    await events.return?.()
  })

  it('end when the tenant is deleted', async () => {
    const { sandbox } = await openStream()
    const tenant = await sandbox.createTenant({ name: 'qa' })
    const events = tenant.events()
    await next(events)
    await tenant.delete()
    expect(await next(events)).toMatchObject({ change: 'deleted' })
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  it('stop when the signal aborts: before, between and during reads', async () => {
    const { tenant, events, gaveUp, requests } = await openStream()
    const reason = new Error('enough')
    const before = requests.length
    expect(await failure(tenant.events({ signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(requests.length).toBe(before)
    await next(events)
    const awaited = failure(events)
    gaveUp.abort(reason)
    expect(await awaited).toBe(reason)
  })

  it('close the connection when the loop ends early', async () => {
    const closed = Promise.withResolvers<void>()
    const { tenant } = await openStream((request, response) => {
      if (request.url?.endsWith('/events')) response.once('close', closed.resolve)
      return false
    })
    for await (const event of tenant.events()) if (event.type === 'ready') break
    await expect(closed.promise).resolves.toBeUndefined()
  })

  it('fail like any other call if the sandbox refuses them', async () => {
    const { sandbox } = await openStream()
    const error = await failure(sandbox.control('nobody').events())
    expect(error).toBeInstanceOf(ControlError)
    expect(error).toMatchObject({ operation: 'streamEvents', status: 404, code: 'not_found' })
  })

  it('fail with the code for a lost connection, or for another server', async () => {
    const lost = await openStream((request, response) => {
      if (!request.url?.endsWith('/events')) return false
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: ready\ndata: {"type":"ready"}\n\n')
      return true
    })
    await next(lost.events)
    const failed = failure(lost.events)
    lost.server.closeAllConnections()
    expect(await failed).toMatchObject({ name: 'ControlError', status: 0, code: 'connection_lost' })

    const other = await openStream((request, response) => {
      if (!request.url?.endsWith('/events')) return false
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello')
      return true
    })
    expect(await failure(other.events)).toMatchObject({ name: 'ControlError', code: 'not_a_sandbox' })
  })
})
