import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCallbackReceiver, createCallbackUrl } from '@lead-distribution/publisher-sdk/callbacks'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLeadSandbox, type Tenant } from './index.ts'
import { listeningSandbox, publisherOf, strict } from './sandbox-server.fixture.ts'

/** Submits a lead that is distributed, and triggers its `approved` event. */
async function approvedLead(tenant: Tenant): Promise<string> {
  const { lead_id } = await publisherOf(tenant).submit(tenant.testLeads.distributed())
  if (!lead_id) return expect.unreachable()
  await tenant.leads.trigger(lead_id, { event: 'approved' })
  return lead_id
}

describe('callbacks in process', () => {
  it('reach the function as the GET request that a server would receive', async () => {
    const taken: Request[] = []
    const sandbox = await listeningSandbox({ onCallback: callback => taken.push(callback) })
    const lead_id = await approvedLead(sandbox)
    const { attempts, url } = await sandbox.callbacks.wait({ leadId: lead_id })
    expect(attempts).toMatchObject([{ status: 200 }])
    expect(taken.map(({ method, url }) => [method, url])).toEqual([['GET', url]])
    expect(url).toBe(`https://publisher.test/callbacks?lead_id=${lead_id}&event=loan_issued`)
  })

  it("reach the SDK's receiver at its own URL, signed", async () => {
    const events: string[] = []
    const { url, secret } = createCallbackUrl('https://app.acme.example/callbacks')
    const receiver: { take?: (callback: Request) => Promise<Response> } = {}
    const sandbox = await listeningSandbox({
      settings: { callback_signature: 'standard_webhooks' },
      callbackUrl: url,
      onCallback: callback => receiver.take?.(callback),
    })
    receiver.take = createCallbackReceiver({
      verify: { urlSecrets: [secret], signature: { secrets: [sandbox.account.publisher.callback_secret] } },
      handle: ({ event, assurance }) => void events.push(`${event} by ${assurance}`),
    })
    const lead_id = await approvedLead(sandbox)
    expect((await sandbox.callbacks.wait({ leadId: lead_id })).state).toBe('delivered')
    expect(events).toEqual(['approved by signature'])
  })

  it.each([
    ['throws', { error: 'The database is down.' }, () => Promise.reject(new Error('The database is down.'))],
    ['responds 500', { status: 500 }, () => new Response(null, { status: 500 })],
  ])("are retried on the tenant's clock if the function %s", async (_, attempt, fail) => {
    let tries = 0
    const onCallback = () => (++tries < 3 ? fail() : undefined)
    const sandbox = await listeningSandbox({ onCallback, frozenAt: '2026-01-31T09:30:00Z' })
    const lead_id = await approvedLead(sandbox)
    await sandbox.clock.advance({ by: 'P1D' })
    const [callback] = (await sandbox.leads.show(lead_id)).callbacks
    expect(callback).toMatchObject({ state: 'delivered', attempts: [attempt, attempt, { status: 200 }] })
  })

  it('fail after the time-out if the function never responds, and abort their signal', async () => {
    const aborted: boolean[] = []
    const onCallback = ({ signal }: Request) =>
      new Promise(() => signal.addEventListener('abort', () => aborted.push(true)))
    const settings = { callback_timeout: 'PT0.05S', callback_retries: [] }
    const sandbox = await listeningSandbox({ onCallback, settings })
    const lead_id = await approvedLead(sandbox)
    await expect.poll(async () => (await sandbox.leads.show(lead_id)).callbacks[0]?.state).toBe('failed')
    const [callback] = (await sandbox.leads.show(lead_id)).callbacks
    expect(callback?.attempts).toMatchObject([{ error: 'no response within 50 ms' }])
    expect(aborted).toEqual([true])
  })

  it('reach the function of their own tenant, even if all tenants use one URL', async () => {
    const taken: Record<string, string[]> = { first: [], second: [] }
    const sandbox = await listeningSandbox({ onCallback: ({ url }) => taken.first?.push(url) })
    const second = await sandbox.createTenant({ onCallback: ({ url }) => taken.second?.push(url) })
    const lead_id = await approvedLead(second)
    await second.callbacks.wait({ leadId: lead_id })
    expect(taken).toEqual({ first: [], second: [expect.stringContaining(lead_id)] })
  })

  it('are not sent to a URL without a function, and the error names the option to set', async () => {
    const settings = { callback_retries: [] }
    const sandbox = await listeningSandbox({ callbackUrl: 'http://127.0.0.1:9/callbacks', settings })
    const lead_id = await approvedLead(sandbox)
    await expect.poll(async () => (await sandbox.leads.show(lead_id)).callbacks[0]?.state).toBe('failed')
    const [callback] = (await sandbox.leads.show(lead_id)).callbacks
    expect(callback?.attempts).toMatchObject([{ error: expect.stringContaining("callbacks: 'fetch'") }])
  })
})

describe('callbacks over fetch', () => {
  /** Starts a publisher's server. */
  async function openPublisher(status = 200) {
    const asked: unknown[] = []
    const server = createServer(({ url = '', headers }, response) => {
      asked.push([url, headers.accept])
      response.writeHead(status, { location: 'http://127.0.0.1:9/elsewhere' }).end()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks` }
  }

  it('reach a server, bypassing the handlers and their check of unhandled requests', async () => {
    const { asked, url } = await openPublisher()
    const sandbox = await listeningSandbox({ callbacks: 'fetch', callbackUrl: url })
    const lead_id = await approvedLead(sandbox)
    expect((await sandbox.callbacks.wait({ leadId: lead_id })).attempts).toMatchObject([{ status: 200 }])
    expect(asked).toEqual([[`/callbacks?lead_id=${lead_id}&event=loan_issued`, '*/*']])
  })

  it('reach a server even after a test replaces the handlers or closes msw', async () => {
    const { asked, url } = await openPublisher()
    const sandbox = await createLeadSandbox({ callbacks: 'fetch', callbackUrl: url })
    const server = setupServer(...sandbox.handlers)
    server.listen(strict)
    onTestFinished(() => sandbox.close())
    let lead_id = ''
    try {
      lead_id = `${(await publisherOf(sandbox).submit(sandbox.testLeads.distributed())).lead_id}`
      server.resetHandlers(http.get('https://elsewhere.example/', () => HttpResponse.json({})))
      await sandbox.leads.trigger(lead_id, { event: 'approved' })
      expect((await sandbox.callbacks.wait({ leadId: lead_id })).state).toBe('delivered')
    } finally {
      server.close()
    }
    await sandbox.leads.trigger(lead_id, { event: 'completed' })
    const { attempts } = await sandbox.callbacks.wait({ leadId: lead_id, event: 'loan_paid' })
    expect([attempts, asked.length]).toMatchObject([[{ status: 200 }], 2])
  })

  it('do not follow redirects', async () => {
    const { asked, url } = await openPublisher(302)
    const settings = { callback_retries: [] }
    const sandbox = await listeningSandbox({ callbacks: 'fetch', callbackUrl: url, settings })
    const lead_id = await approvedLead(sandbox)
    await expect.poll(async () => (await sandbox.leads.show(lead_id)).callbacks[0]?.state).toBe('failed')
    const [callback] = (await sandbox.leads.show(lead_id)).callbacks
    expect([callback?.attempts, asked.length]).toMatchObject([[{ status: 302 }], 1])
  })

  it("do not go to a host that is allowed only by another tenant's function", async () => {
    const sandbox = await listeningSandbox({ callbacks: 'fetch', settings: { callback_retries: [] } })
    const callbackUrl = 'https://app.acme.example/callbacks'
    await sandbox.createTenant({ callbackUrl, onCallback: () => 200 })
    const other = await sandbox.createTenant({ callbackUrl, settings: { callback_retries: [] } })
    const lead_id = await approvedLead(other)
    await expect.poll(async () => (await other.leads.show(lead_id)).callbacks[0]?.state).toBe('failed')
    const [callback] = (await other.leads.show(lead_id)).callbacks
    expect(callback?.attempts).toMatchObject([{ error: expect.stringContaining('goes to a host that is not allowed') }])
  })

  it('go only to this machine and to hosts allowed by name', async () => {
    const callbackUrl = 'https://app.acme.example/callbacks'
    await expect(listeningSandbox({ callbacks: 'fetch', callbackUrl })).rejects.toThrow('callback_url goes to a host')
    const allowed = ['app.acme.example']
    const sandbox = await listeningSandbox({ callbacks: 'fetch', callbackUrl, allowedCallbackHosts: allowed })
    expect(sandbox.account.publisher.callback_url).toBe(callbackUrl)
  })
})
