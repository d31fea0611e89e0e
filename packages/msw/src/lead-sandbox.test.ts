import http from 'node:http'
import { createAdvertiser, PostbackUrl } from '@lead-distribution/advertiser-sdk'
import { scenarioWords } from '@lead-distribution/contract/test-leads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLeadSandbox } from './index.ts'
import { listeningSandbox, publisherOf } from './sandbox-server.fixture.ts'

describe('a sandbox with msw', () => {
  it('takes a lead from submission to the confirmed report, without a server', async () => {
    const sandbox = await listeningSandbox()
    const result = await publisherOf(sandbox).submit(sandbox.testLeads.distributed())
    if (result.outcome !== 'distributed') return expect.unreachable()
    const page = await fetch(result.redirect_url)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('A simulated advertiser')])

    const { lead_id } = result
    const { deliveries } = await sandbox.leads.show(lead_id)
    const baseUrl = sandbox.account.base_url
    const postback = PostbackUrl.parse(deliveries[0]?.postback_url ?? '', { baseUrl })
    const advertiser = createAdvertiser({ baseUrl, apiKey: sandbox.account.advertisers[0]?.api_key ?? '' })
    expect(await advertiser.fire(postback, { event: 'approved' })).toMatchObject({ outcome: 'received' })

    const callback = await sandbox.callbacks.wait({ leadId: lead_id })
    expect(callback).toMatchObject({ state: 'delivered', event: 'loan_issued' })
    expect((await sandbox.inbox.show()).callbacks).toMatchObject([{ lead_id, event: 'loan_issued' }])
  })

  it('provides a lead for every outcome', async () => {
    const sandbox = await listeningSandbox()
    const publisher = publisherOf(sandbox)
    const { testLeads } = sandbox
    expect((await publisher.submit(testLeads.new())).outcome).toBe('new')
    expect(await publisher.submit(testLeads.blacklisted())).toMatchObject({ rejection_reason: 'blacklisted' })
    const [first, second] = testLeads.customerAlreadyExists()
    await publisher.submit(first)
    expect(await publisher.submit(second)).toMatchObject({ rejection_reason: 'customer_already_exists' })
    expect(scenarioWords.length).toBeGreaterThan(0)
  })

  it('also serves node:http clients, with their Host header', async () => {
    const sandbox = await listeningSandbox({ baseUrl: 'http://sandbox.leads.test/api/v1' })
    const status = await new Promise((resolve, reject) => {
      const { origin } = new URL(sandbox.account.base_url)
      http
        .request(`${origin}/_sandbox/v1/tenants`, { headers: { origin: 'https://elsewhere.example' } }, response =>
          response.resume().on('end', () => resolve(response.statusCode)),
        )
        .on('error', reject)
        .end()
    })
    expect(status).toBe(200)
  })

  it('responds to HEAD without a body, and refuses unknown operations', async () => {
    const sandbox = await listeningSandbox()
    const lead = `${sandbox.account.base_url}/lead`
    const head = await fetch(lead, { method: 'HEAD' })
    expect([head.status, await head.text(), head.headers.get('allow')]).toEqual([405, '', 'POST'])
    for (const path of ['/leads', '/', '']) expect((await fetch(`${sandbox.account.base_url}${path}`)).status).toBe(404)
    await expect(fetch(`${sandbox.account.base_url}0/lead`)).rejects.toThrow()
  })

  it('leaves other paths on its host to the page', async () => {
    const sandbox = await listeningSandbox()
    await expect(fetch(new URL('/index.html', sandbox.account.base_url))).rejects.toThrow()
  })

  it('works under a path prefix', async () => {
    const baseUrl = 'https://sandbox.acme.example/leads/api/v1'
    const sandbox = await listeningSandbox({ baseUrl: `${baseUrl}/` })
    expect(sandbox.account.base_url).toBe(baseUrl)
    const result = await publisherOf(sandbox).submit(sandbox.testLeads.distributed())
    expect(result.outcome).toBe('distributed')
    expect((await fetch(`${result.redirect_url}`)).status).toBe(200)
  })
})

describe('creating a sandbox', () => {
  it('creates the same account each time, and another one with another seed', async () => {
    const accounts = await Promise.all(
      [{}, {}, { seed: 'other' }, { seed: 7 }].map(async options => {
        const sandbox = await createLeadSandbox(options)
        onTestFinished(() => sandbox.close())
        return sandbox.account
      }),
    )
    const [one, same, ...others] = accounts
    expect(one).toEqual(same)
    expect(new Set([one, ...others].map(account => account?.publisher.api_key)).size).toBe(3)
  })

  it('accepts a profile, settings and a frozen clock', async () => {
    const settings = { duplicate_window: 'PT0S' } as const
    const sandbox = await createLeadSandbox({ profile: 'formal', settings, frozenAt: '2026-01-31T09:30:00Z' })
    onTestFinished(() => sandbox.close())
    expect(sandbox.account.settings).toMatchObject({ profile: 'formal', duplicate_window: 'PT0S' })
    expect(await sandbox.clock.show()).toEqual({ mode: 'frozen', now: '2026-01-31T09:30:00.000Z' })
    expect(sandbox.testLeads.distributed().consents.entries[0]?.accepted_at).toMatch(/^2026-01-31/)
  })

  it('keeps the account current', async () => {
    const sandbox = await createLeadSandbox()
    onTestFinished(() => sandbox.close())
    await sandbox.update({ settings: { gender: 'required' } })
    expect(sandbox.account.settings.gender).toBe('required')
  })

  it.each([
    ...['sandbox.leads.test/api/v1', 'https://sandbox.leads.test/v1', 'ftp://sandbox.leads.test/api/v1'],
    ...['https://ana:secret@sandbox.leads.test/api/v1', 'https://sandbox.leads.test/api/v1?x=1', ''],
  ])('rejects the base URL %j with an example', async baseUrl => {
    await expect(createLeadSandbox({ baseUrl })).rejects.toThrow('`baseUrl` must start with https://')
  })

  it.each([
    [{ base_url: 'https://sandbox.leads.test/api/v1' }, 'The option `base_url` is unknown'],
    [{ callbacks: 'http' }, "`callbacks` must be 'in_process' or 'fetch'"],
    [{ onCallback: 'https://publisher.example' }, '`onCallback` must be a function'],
    [{ callbackUrl: 'publisher.example', onCallback: () => 200 }, 'callback_url must be an absolute URL'],
    [{ profile: 'informal' }, 'profile must be one of'],
    [{ frozenAt: 'yesterday' }, 'frozen_at must be a date-time'],
  ])('rejects %j by name', async (options, message) => {
    await expect(createLeadSandbox(options as never)).rejects.toThrow(message)
    const sandbox = await listeningSandbox()
    await expect(sandbox.createTenant(options as never)).rejects.toThrow(message)
  })

  it('reports a missing await', async () => {
    const opening = createLeadSandbox()
    // biome-ignore lint/suspicious/noExplicitAny: as in plain JavaScript.
    expect(() => (opening as any).handlers).toThrow('`createLeadSandbox` returns a promise')
    await (await opening).close()
  })

  it('ends a wait for a callback when the sandbox is closed or the tenant deleted', async () => {
    const sandbox = await listeningSandbox()
    const tenant = await sandbox.createTenant()
    const waiting = [tenant, sandbox].map(async each => {
      const { lead_id } = await publisherOf(each).submit(each.testLeads.distributed())
      return each.callbacks.wait({ leadId: `${lead_id}`, timeoutMs: 60_000 })
    })
    const refused = waiting.map(wait => expect(wait).rejects.toMatchObject({ name: 'ControlError' }))
    await expect.poll(async () => (await sandbox.leads.list()).leads.length, { timeout: 20_000 }).toBe(1)
    await expect.poll(async () => (await tenant.leads.list()).leads.length).toBe(1)
    await tenant.delete()
    await refused[0]
    await sandbox.close()
    await refused[1]
  })

  it('reports that it is closed when it is called later', async () => {
    const sandbox = await listeningSandbox()
    const { account, leads } = sandbox
    await sandbox.close()
    const isClosed = 'The lead sandbox is closed'
    await expect(leads.list()).rejects.toThrow(isClosed)
    await expect(sandbox.createTenant()).rejects.toThrow(isClosed)
    const reply = await fetch(`${account.base_url}/lead`, { method: 'POST' })
    expect([reply.status, await reply.text()]).toEqual([500, expect.stringContaining(isClosed)])
    expect(() => sandbox.account).toThrow('closed')
  })

  it("rejects an invalid value by the setting's name", async () => {
    const settings = { gender: 'maybe' } as never
    await expect(createLeadSandbox({ settings })).rejects.toMatchObject({
      name: 'ControlError',
      status: 400,
      message: expect.stringContaining('settings.gender'),
    })
  })
})

const onSubmit = { operation: 'submitLead' } as const

it.each([{ reset: true }, { lost_reply: true }] as const)('turns the fault %j into a network error', async effect => {
  const sandbox = await listeningSandbox()
  await sandbox.faults.add({ match: onSubmit, effect, times: 1 })
  const lead = sandbox.testLeads.distributed()
  expect((await publisherOf(sandbox).submit(lead)).outcome).toBe('unknown')

  // After a lost reply the lead exists; after a reset it does not.
  const { leads } = await sandbox.leads.list()
  expect(leads.length).toBe('lost_reply' in effect ? 1 : 0)
  const again = await publisherOf(sandbox).submit(lead)
  expect(again.outcome).toBe('lost_reply' in effect ? 'rejected' : 'distributed')
})

it('never replies to a request with a timeout fault, until the client aborts', async () => {
  const sandbox = await listeningSandbox()
  await sandbox.faults.add({ match: onSubmit, effect: { timeout: true } })
  const submitting = publisherOf(sandbox).submit(sandbox.testLeads.distributed(), { timeoutMs: 50 })
  expect((await submitting).outcome).toBe('unknown')

  const gaveUp = new AbortController()
  const reply = fetch(`${sandbox.account.base_url}/lead`, {
    method: 'POST',
    body: '{}',
    headers: { apikey: sandbox.account.publisher.api_key, 'content-type': 'application/json' },
    signal: gaveUp.signal,
  })
  const reason = new Error('That is enough.')
  gaveUp.abort(reason)
  await expect(reply).rejects.toBe(reason)
})

it('processes a call delayed by a fault even if the client aborts, without waiting longer', async () => {
  const sandbox = await listeningSandbox()
  await sandbox.faults.add({ match: onSubmit, effect: { latency_ms: 600_000 } })
  const submitting = publisherOf(sandbox).submit(sandbox.testLeads.distributed(), { timeoutMs: 1000 })
  expect((await submitting).outcome).toBe('unknown')
  await expect.poll(async () => (await sandbox.leads.list()).leads.length, { timeout: 20_000 }).toBe(1)
})

it('cuts off the body of a malformed reply', async () => {
  const sandbox = await listeningSandbox()
  await sandbox.faults.add({ match: onSubmit, effect: { malformed: true } })
  const { account, testLeads } = sandbox
  const reply = await fetch(`${account.base_url}/lead`, {
    method: 'POST',
    body: JSON.stringify(testLeads.distributed()),
    headers: { apikey: account.publisher.api_key, 'content-type': 'application/json' },
  })
  expect(reply.status).toBe(200)
  await expect(reply.json()).rejects.toBeInstanceOf(SyntaxError)
})

it('applies status and latency faults', async () => {
  const sandbox = await listeningSandbox()
  await sandbox.faults.add({ match: onSubmit, effect: { latency_ms: 5 }, times: 1 })
  expect((await publisherOf(sandbox).submit(sandbox.testLeads.new())).outcome).toBe('new')
  await sandbox.faults.add({ match: onSubmit, effect: { status: 503 }, times: 1 })
  expect(await publisherOf(sandbox).submit(sandbox.testLeads.new())).toMatchObject({ meta: { status: 503 } })
})
