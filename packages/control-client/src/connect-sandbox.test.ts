import { createServer, type ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ControlError, connectSandbox, createSandboxClient } from './index.ts'
import { listen, startSandbox } from './sandbox-server.fixture.ts'

const submission = { customer: { contact: { email: { address: 'ana@example.com' } } } }

/** Returns the ControlError with which a call rejects. */
async function refusal(call: Promise<unknown>): Promise<ControlError> {
  const error = await call.catch((thrown: unknown) => thrown)
  return error instanceof ControlError ? error : expect.unreachable(`not a ControlError: ${String(error)}`)
}

describe('a connection', () => {
  it('opens the demo tenant and creates isolated tenants', async () => {
    const { url } = await startSandbox()
    const sandbox = await connectSandbox(url)
    expect([sandbox.tenant.name, sandbox.tenant.account.base_url]).toEqual(['demo', `${url}/api/v1`])
    const tenant = await sandbox.createTenant({ name: 'qa', seed: 7, frozenAt: '2026-01-31T09:30:00Z' })
    await tenant.faults.add({ match: { operation: 'submitLead' }, effect: { status: 503 } })
    expect((await sandbox.tenant.faults.list()).faults).toEqual([])
    expect((await tenant.clock.advance({ by: 'PT24H' })).now).toBe('2026-02-01T09:30:00.000Z')
    expect((await sandbox.listTenants()).tenants.map(account => account.tenant)).toEqual(['demo', 'qa'])
    expect((await sandbox.openTenant('qa')).account).toEqual(tenant.account)
    expect(await tenant.delete()).toEqual({ deleted: 'qa' })
  })

  it.each(['', '/', '/api/v1', '/api/v1/'])('accepts a URL that ends in %j', async end => {
    const { url } = await startSandbox()
    expect((await connectSandbox({ baseUrl: `${url}${end}` })).tenant.name).toBe('demo')
    expect((await connectSandbox(new URL(`${url}${end}`))).tenant.name).toBe('demo')
    const ofJsdom = Object.create(null, Object.getOwnPropertyDescriptors({ href: url, toString: () => `${url}${end}` }))
    expect((await connectSandbox(ofJsdom)).tenant.name).toBe('demo')
  })

  it.each(['', '127.0.0.1:4010', 'ftp://127.0.0.1', 'http://me@127.0.0.1', 'http://127.0.0.1/?a=1'])(
    'rejects the URL %j',
    baseUrl => {
      expect(() => createSandboxClient({ baseUrl })).toThrow('`baseUrl` must be the URL of a sandbox, such as http://')
    },
  )

  it('opens the given tenant, and rejects if there is none', async () => {
    const { url } = await startSandbox()
    await createSandboxClient({ baseUrl: url }).createTenant({ name: 'qa' })
    expect((await connectSandbox({ baseUrl: url, tenant: 'qa' })).tenant.name).toBe('qa')
    expect(await refusal(connectSandbox({ baseUrl: url, tenant: 'qb' }))).toMatchObject({
      status: 404,
      code: 'not_found',
    })
  })

  it('sends requests with the given fetch', async () => {
    const { url } = await startSandbox()
    const seen: string[] = []
    const counting: typeof fetch = (input, init) => {
      seen.push(new URL((input as Request).url).pathname)
      return fetch(input, init)
    }
    await connectSandbox({ baseUrl: url, fetch: counting })
    expect(seen).toEqual(['/_sandbox/v1/tenants/demo'])
  })
})

describe('the admin token', () => {
  const adminToken = 's3cret-of-the-sandbox'

  it('is sent with every call', async () => {
    const { url } = await startSandbox({ adminToken })
    const { tenant } = await connectSandbox({ baseUrl: url, adminToken })
    expect((await tenant.clock.freeze()).mode).toBe('frozen')
    expect(await refusal(connectSandbox(url))).toMatchObject({ status: 401, code: 'unauthorized' })
  })

  it('never appears in an error', async () => {
    const refusing = await startSandbox({ adminToken: 'another' })
    const closed = await startSandbox()
    closed.server.close()
    closed.server.closeAllConnections()
    for (const { url } of [refusing, closed]) {
      const error = await refusal(connectSandbox({ baseUrl: url, adminToken, retries: 0 }))
      expect(`${inspect(error, { depth: 20, showHidden: true })}${error.stack}`).not.toContain(adminToken)
      expect(JSON.stringify({ ...error })).not.toContain(adminToken)
    }
  })
})

describe('an error', () => {
  it('names the operation, the problem and the field', async () => {
    const { url } = await startSandbox()
    const { tenant } = await connectSandbox(url)
    const error = await refusal(tenant.clock.advance({ by: 'tomorrow' }))
    expect(error).toMatchObject({
      operation: 'advanceClock',
      status: 400,
      code: 'validation_error',
      details: [{ field: 'by', issue: expect.any(String) }],
    })
    expect(error.message).toMatch(/^advanceClock was refused\. .* by must be /)
  })

  it('reports that nothing responds', async () => {
    const { url, server } = await startSandbox()
    await new Promise(resolve => server.close(resolve))
    const error = await refusal(connectSandbox({ baseUrl: url, retries: 0 }))
    expect(error).toMatchObject({ status: 0, code: 'unreachable', message: expect.stringContaining(url) })
  })

  it.each([
    ['a page', (page: string) => [200, 'text/html', page] as const],
    ['an error page', (page: string) => [502, 'text/html', page] as const],
    ["another service's JSON", () => [404, 'application/json', '{"detail":"Not Found"}'] as const],
  ])('reports that %s does not come from a sandbox', async (_title, answer) => {
    const url = await listen(
      createServer((_request, response) => {
        const [status, type, body] = answer('<!doctype html>')
        response.writeHead(status, { 'content-type': type }).end(body)
      }),
    )
    expect(await refusal(connectSandbox({ baseUrl: url, retries: 0 }))).toMatchObject({ code: 'not_a_sandbox' })
  })

  it.each([
    [301, 'https://sandbox.example/_sandbox/v1/demo', 'Set the URL to https://sandbox.example'],
    [302, 'https://login.example/sign-in?state=hunter2', 'Set the URL to https://login.example'],
    [303, '/login', "Check the URL's path"],
    [307, '//elsewhere.example/', 'Set the URL to http://elsewhere.example'],
    [308, 'http://[', 'Open it in a browser'],
    [302, undefined, 'Open it in a browser'],
  ])('explains a redirect and what to do, without following it: %i %s', async (status, location, advice) => {
    let requests = 0
    const url = await listen(
      createServer((_request, response) => {
        requests += 1
        response
          .writeHead(status, location === undefined ? {} : { location })
          .end('{"error":"moved","message":"elsewhere"}')
      }),
    )
    const error = await refusal(connectSandbox({ baseUrl: url, adminToken: 'secret' }))
    expect(error).toMatchObject({
      status,
      code: 'not_a_sandbox',
      reason: expect.stringContaining(`${url} redirects`),
    })
    expect(error.reason).toContain(advice)
    if (location?.startsWith('https:')) expect(error.reason).toContain(` to ${location.split('?')[0]} instead`)
    expect(error.message).not.toMatch(/hunter2|Start one/)
    expect(requests).toBe(1)
  })

  it('reports a lost connection or a time-out, after which the call may have taken effect', async () => {
    const { url } = await startSandbox({
      intercept(request, response) {
        if (request.url?.endsWith('/reset')) request.socket.destroy()
        else if (request.url?.endsWith('/clock'))
          response.writeHead(200, { 'content-length': '90' }).write('{', () => request.socket.destroy())
        return /reset|clock|snapshots$/.test(request.url ?? '')
      },
    })
    const tenant = createSandboxClient({ baseUrl: url }).control('demo')
    expect(await refusal(tenant.reset())).toMatchObject({ code: 'connection_lost', status: 0 })
    expect(await refusal(tenant.clock.freeze())).toMatchObject({ code: 'connection_lost' })
    const impatient = createSandboxClient({ baseUrl: url, timeoutMs: 100 }).control('demo')
    const timedOut = await refusal(impatient.snapshots.save('then'))
    expect([timedOut.code, timedOut.message]).toEqual(['timed_out', expect.stringContaining('may have taken effect')])
  })
})

it('explains a redirect even if the browser hides its target', async () => {
  const hidden = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' })
  const client = createSandboxClient({ baseUrl: 'http://127.0.0.1:4010', fetch: async () => hidden })
  await expect(client.listTenants()).rejects.toThrow('http://127.0.0.1:4010 redirects instead of responding')
})

it("includes the mount path in the sandbox's URL", async () => {
  const { url, server } = await startSandbox()
  await new Promise(resolve => server.close(resolve))
  const error = await refusal(createSandboxClient({ baseUrl: `${url}/leads/`, retries: 0 }).listTenants())
  expect(error.reason).toMatch(`No sandbox responds at ${url}/leads. Start one`)
})

describe('retries', () => {
  it('apply only to reads', async () => {
    let failures = 0
    const { url, requests } = await startSandbox({
      intercept(_request, response) {
        if (++failures % 2 === 0) return false
        response.writeHead(503).end()
        return true
      },
    })
    const tenant = createSandboxClient({ baseUrl: url, retries: 1 }).control('demo')
    expect((await tenant.faults.list()).faults).toEqual([])
    expect(requests).toHaveLength(2)
    expect(await refusal(tenant.faults.clear())).toMatchObject({ status: 503, code: 'not_a_sandbox' })
    expect(requests).toHaveLength(3)
  })

  it('stop when the signal aborts, even during a long pause', { timeout: 10_000 }, async () => {
    const { url, requests } = await startSandbox({
      intercept(_request, response) {
        response.writeHead(503, { 'retry-after': '30' }).end()
        return true
      },
    })
    const reader = new AbortController()
    const events = createSandboxClient({ baseUrl: url }).control('demo').events({ signal: reader.signal })
    const next = events[Symbol.asyncIterator]().next()
    await expect.poll(() => requests.length).toBe(1)
    await new Promise(resolve => setTimeout(resolve, 50))
    reader.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
    expect(requests).toHaveLength(1)
  })
})

describe('the time limit', () => {
  it('does not include the wait that the call asks for', async () => {
    const delivered = { callback_id: 'c1', state: 'delivered' }
    const { url } = await startSandbox({
      intercept(request, response) {
        const isWait = request.url?.includes('/callbacks/wait') === true
        if (isWait) setTimeout(() => response.writeHead(200).end(JSON.stringify(delivered)), 500)
        return isWait
      },
    })
    const { callbacks } = createSandboxClient({ baseUrl: url, timeoutMs: 100 }).control('demo')
    const leadId = '50000000-0000-4000-8000-00000000ffff'
    expect(await callbacks.wait({ leadId, timeoutMs: 30_000 })).toEqual(delivered)
  })
})

describe('with fake timers', () => {
  afterEach(() => void vi.useRealTimers())

  /** Connects to a sandbox that never responds, and captures the pending response. */
  async function controlOfHanging(timeoutMs: number) {
    const { promise: received, resolve } = Promise.withResolvers<ServerResponse>()
    const { url } = await startSandbox({
      intercept(_request, response) {
        resolve(response)
        return true
      },
    })
    vi.useFakeTimers()
    return { control: createSandboxClient({ baseUrl: url, timeoutMs }).control('demo'), received }
  }

  it('a call to a sandbox that hangs times out', async () => {
    const { control } = await controlOfHanging(50)
    expect(await refusal(control.clock.show())).toMatchObject({ code: 'timed_out' })
  })

  it('advancing the fake time does not time out a call early', async () => {
    const { control, received } = await controlOfHanging(60_000)
    const shown = control.clock.show()
    const response = await received
    await vi.advanceTimersByTimeAsync(120_000)
    response.writeHead(200).end('{"mode":"running"}')
    expect(await shown).toEqual({ mode: 'running' })
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['with 503', response => response.writeHead(503).end()],
    ['with 429 and a pause', response => response.writeHead(429, { 'retry-after': '1' }).end()],
    ['without a response', response => response.destroy()],
    ['in the middle of a response', response => response.write('{', () => response.destroy())],
  ])('a call that failed %s is retried', async (_title, fail) => {
    let failures = 0
    const { url } = await startSandbox({
      intercept(_request, response) {
        if (failures++ > 0) return false
        fail(response)
        return true
      },
    })
    vi.useFakeTimers()
    expect(await createSandboxClient({ baseUrl: url }).control('demo').clock.show()).toMatchObject({ mode: 'running' })
  })
})

it('explains an invalid submission', async () => {
  const { url } = await startSandbox()
  const { tenant } = await connectSandbox(url)
  expect((await tenant.leads.explain(submission)).would.status).toBe(400)
})
