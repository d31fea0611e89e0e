import { randomUUID } from 'node:crypto'
import { getEventListeners } from 'node:events'
import { createAdvertiser, PostbackUrl } from '@lead-distribution/advertiser-sdk'
import { createTestPostbackUrl } from '@lead-distribution/advertiser-sdk/testing'
import { createPublisher, LeadSdkError } from '@lead-distribution/publisher-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createLeadSandbox, type LeadSandboxOptions } from './index.ts'

async function openSandbox(options: LeadSandboxOptions = {}) {
  const sandbox = await createLeadSandbox(options)
  onTestFinished(sandbox.close)
  const { account, fetch } = sandbox
  const baseUrl = account.base_url
  const publisher = createPublisher({ baseUrl, apiKey: account.publisher.api_key, fetch })
  const advertiser = createAdvertiser({ baseUrl, apiKey: account.advertisers[0]?.api_key ?? '', fetch })
  return { sandbox, fetch, baseUrl, publisher, advertiser }
}

/** A request that preserves the letter case of its header names. */
class AsWritten extends Request {
  readonly #names: readonly string[]
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(input, init)
    this.#names = Object.keys(init?.headers ?? {})
  }
  override get headers(): Headers {
    const headers = super.headers
    const entries = () =>
      this.#names.map((name): [string, string] => [name, headers.get(name) ?? ''])[Symbol.iterator]()
    return Object.assign(Object.create(headers), { [Symbol.iterator]: entries })
  }
}

describe("the sandbox's fetch", () => {
  it('takes a lead from the SDK to its callback, without handlers or a server', async () => {
    const { sandbox, fetch, baseUrl, publisher, advertiser } = await openSandbox()
    const result = await publisher.submit(sandbox.testLeads.distributed())
    if (result.outcome !== 'distributed') return expect.unreachable()
    const page = await fetch(result.redirect_url)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('A simulated advertiser')])

    const { deliveries } = await sandbox.leads.show(result.lead_id)
    const postback = PostbackUrl.parse(deliveries[0]?.postback_url ?? '', { baseUrl })
    expect(await advertiser.fire(postback, { event: 'approved' })).toMatchObject({ outcome: 'received' })
    expect(await sandbox.callbacks.wait({ leadId: result.lead_id })).toMatchObject({ state: 'delivered' })
  })

  it('accepts a test postback URL of its own advertiser and refuses any other', async () => {
    const { sandbox, publisher, advertiser, baseUrl } = await openSandbox()
    const { lead_id } = await publisher.submit(sandbox.testLeads.distributed())
    const { deliveries } = await sandbox.leads.show(lead_id ?? '')
    const { advertiser_id } = deliveries.find(({ decision }) => decision === 'accepted') ?? expect.unreachable()
    const taker = sandbox.account.advertisers.find(each => each.advertiser_id === advertiser_id)
    const own = { baseUrl, lead_id: lead_id ?? '', advertiser_id, secret: taker?.postback_secret }
    const fire = async (raw: string) => advertiser.fire(advertiser.parsePostbackUrl(raw), { event: 'approved' })
    const right = await createTestPostbackUrl(own)
    const token = new URL(right).searchParams.get('token') ?? ''
    const others = [
      await createTestPostbackUrl({ ...own, lead_id: crypto.randomUUID() }),
      await createTestPostbackUrl({ ...own, advertiser_id: crypto.randomUUID() }),
      await createTestPostbackUrl({ ...own, secret: 'another' }),
      await createTestPostbackUrl({ ...own, hash: 'SHA-512' }),
      right.replace(own.lead_id, crypto.randomUUID()),
      right.slice(0, -1),
      right.replace(/(?<=token=)./, first => `%25${first.charCodeAt(0).toString(16)}`),
    ]
    for (const other of others)
      await expect(fire(other), other).rejects.toSatisfy(thrown => LeadSdkError.is(thrown) && thrown.code === 'auth')
    for (const broken of [`${right}&token=${token}`, right.replace(/token=\w+/, ''), `${right}&event=no_such_event`])
      await expect(fire(broken), broken).rejects.toMatchObject({ code: 'config' })
    expect(await fire(right)).toMatchObject({ outcome: 'received' })
    expect((await sandbox.leads.show(lead_id ?? '')).events).toHaveLength(1)
  })

  it('accepts every form of a request', async () => {
    const { sandbox, fetch, baseUrl } = await openSandbox()
    const headers = { apikey: sandbox.account.publisher.api_key, 'content-type': 'application/json' }
    const init = () => ({ method: 'POST', headers, body: JSON.stringify(sandbox.testLeads.distributed()) })
    const url = `${baseUrl}/lead`
    const replies = [await fetch(url, init()), await fetch(new URL(url), init()), await fetch(new Request(url, init()))]
    for (const reply of replies) expect(await reply.json()).toMatchObject({ status: 'distributed' })
  })

  it.each([
    [
      'jsdom, where `crypto` lacks `subtle`',
      { crypto: { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => bytes.fill(7), randomUUID } },
    ],
    ['happy-dom, which preserves the case of header names', { Request: AsWritten }],
  ])('accepts a lead in %s', async (_, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
    onTestFinished(() => void vi.unstubAllGlobals())
    const { sandbox, fetch, baseUrl } = await openSandbox()
    const headers = { apikey: sandbox.account.publisher.api_key, 'Content-Type': 'application/json' }
    const body = JSON.stringify(sandbox.testLeads.distributed())
    expect(await (await fetch(`${baseUrl}/lead`, { method: 'POST', headers, body })).json()).toMatchObject({
      status: 'distributed',
    })
  })

  it("rejects any other host with fetch's ENOTFOUND error", async () => {
    const { fetch, baseUrl } = await openSandbox()
    for (const url of ['https://leads.example/api/v1/lead', new URL('/index.html', baseUrl)])
      await expect(fetch(url)).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ENOTFOUND' } })
  })

  it('rejects if a fault cuts the connection', async () => {
    const { sandbox, publisher } = await openSandbox()
    await sandbox.faults.add({ match: { operation: 'submitLead' }, effect: { lost_reply: true }, times: 1 })
    expect(await publisher.submit(sandbox.testLeads.distributed())).toMatchObject({ outcome: 'unknown' })
    expect((await sandbox.leads.list()).leads).toMatchObject([{ status: 'distributed' }])
  })

  it('waits for a reply that never comes until the signal aborts, without leaking a listener', async () => {
    const { sandbox, fetch, baseUrl, publisher } = await openSandbox()
    await sandbox.faults.add({ match: { operation: 'submitLead' }, effect: { timeout: true }, times: 1 })
    const lead = sandbox.testLeads.distributed()
    expect(await publisher.submit(lead, { timeoutMs: 50 })).toMatchObject({ outcome: 'unknown' })

    const { signal } = new AbortController()
    expect((await fetch(`${baseUrl}/lead`, { method: 'POST', signal })).status).toBe(401)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    const reason = new Error('enough')
    await expect(fetch(baseUrl, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  it('streams events until the signal aborts', async () => {
    const { fetch, baseUrl } = await openSandbox({ name: 'streamed' })
    const controller = new AbortController()
    const url = new URL('/_sandbox/v1/tenants/streamed/events', baseUrl)
    const { body } = await fetch(url, { signal: controller.signal })
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toContain('event: ready')
    controller.abort(new Error('enough'))
    await expect(reader?.read()).rejects.toThrow('enough')
  })
})
