import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createSandboxClient } from '@lead-distribution/control-client'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { listeningSandbox, publisherOf } from './sandbox-server.fixture.ts'
import './vitest.ts'

afterEach(() => void vi.useRealTimers())

describe('with fake timers', () => {
  it('the clock advances with the fake time, and due callbacks are sent', async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 31, 9, 30) })
    let tries = 0
    const onCallback = () => new Response(null, { status: ++tries === 1 ? 503 : 200 })
    const sandbox = await listeningSandbox({ onCallback, settings: { callback_retries: ['PT1H'] } })
    const { lead_id } = await publisherOf(sandbox).submit(sandbox.testLeads.distributed())
    if (!lead_id) return expect.unreachable()
    await sandbox.leads.trigger(lead_id, { event: 'approved' })
    const state = async () => (await sandbox.leads.show(lead_id)).callbacks[0]
    await vi.waitFor(
      async () => expect(await state()).toMatchObject({ state: 'pending', attempts: [{ status: 503 }] }),
      20_000,
    )

    await vi.advanceTimersByTimeAsync(60 * 60_000)
    await vi.waitFor(async () => expect(await state()).toMatchObject({ state: 'delivered' }), 20_000)
    expect(tries).toBe(2)
    expect((await sandbox.clock.show()).now).toMatch(/^2026-01-31T10:30/)
  })

  it('a call completes without advancing the time, except for requested latency', async () => {
    vi.useFakeTimers()
    const sandbox = await listeningSandbox()
    const publisher = publisherOf(sandbox)
    expect((await publisher.submit(sandbox.testLeads.new())).outcome).toBe('new')
    await sandbox.faults.add({ match: { operation: 'submitLead' }, effect: { latency_ms: 5_000 } })
    let outcome: string | undefined
    const late = publisher.submit(sandbox.testLeads.new()).then(result => {
      outcome = result.outcome
    })
    await vi.advanceTimersByTimeAsync(4_999)
    expect(outcome).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    await late
    expect(outcome).toBe('new')
  })
})

/** The ways in which a test replaces time. */
const fakes = {
  "vitest's fake timers": () => vi.useFakeTimers(),
  'stubbed globals': () => {
    const never = () => 0
    vi.stubGlobal('setTimeout', never)
    vi.stubGlobal('setInterval', never)
    vi.stubGlobal('setImmediate', never)
    vi.stubGlobal('performance', { now: never })
    vi.spyOn(Date, 'now').mockReturnValue(0)
  },
}

describe.each(Object.entries(fakes))('with %s', (_, fake) => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })

  it('waiting for a callback that never comes ends with the reason', async () => {
    const sandbox = await listeningSandbox()
    const { lead_id } = await publisherOf(sandbox).submit(sandbox.testLeads.distributed())
    if (!lead_id) return expect.unreachable()
    await sandbox.inbox.change({ status: 503 })
    fake()
    const wanted = { leadId: lead_id, event: 'approved', timeoutMs: 50 }
    await expect(expect(sandbox).toHaveDelivered(wanted)).rejects.toThrow('The lead has no callbacks.')
    await sandbox.leads.trigger(lead_id, { event: 'approved' })
    await expect(expect(sandbox).toHaveDelivered(wanted)).rejects.toThrow(/within 50 ms\.(.|\n)*503/)
    await expect(sandbox.callbacks.wait(wanted)).rejects.toMatchObject({ status: 404 })

    const { base_url: baseUrl, tenant } = sandbox.account
    const { callbacks } = createSandboxClient({ baseUrl, timeoutMs: 60_000 }).control(tenant)
    await expect(callbacks.wait(wanted)).rejects.toMatchObject({ status: 404 })
  })

  it('waiting for a callback ends when it is delivered', async () => {
    const sandbox = await listeningSandbox()
    fake()
    const { lead_id } = await publisherOf(sandbox).submit(sandbox.testLeads.distributed())
    const delivered = expect(sandbox).toHaveDelivered({ leadId: lead_id, event: 'approved', timeoutMs: 60_000 })
    await sandbox.leads.trigger(`${lead_id}`, { event: 'approved' })
    await delivered
  })
})

it('advancing the fake time does not end a wait early', async () => {
  vi.useFakeTimers()
  const sandbox = await listeningSandbox({ settings: { callback_retries: ['PT1H'] } })
  const { lead_id } = await publisherOf(sandbox).submit(sandbox.testLeads.distributed())
  await sandbox.inbox.change({ status: 503, times: 1 })
  await sandbox.leads.trigger(`${lead_id}`, { event: 'approved' })
  const delivered = expect(sandbox).toHaveDelivered({ leadId: lead_id, event: 'approved', timeoutMs: 60_000 })
  await vi.advanceTimersByTimeAsync(2 * 60 * 60_000)
  await delivered
})

it('a sandbox closes even if a receiver never responds', async () => {
  vi.useFakeTimers()
  const called = Promise.withResolvers<void>()
  const sandbox = await listeningSandbox({
    onCallback() {
      called.resolve()
      return new Promise(() => {})
    },
  })
  const { lead_id } = await publisherOf(sandbox).submit(sandbox.testLeads.distributed())
  await sandbox.leads.trigger(`${lead_id}`, { event: 'approved' })
  await called.promise
  await expect(sandbox.close()).resolves.toBeUndefined()
})

it('a wait ends even if timers are faked before the package is loaded', async () => {
  vi.useFakeTimers()
  vi.resetModules()
  const { createLeadSandbox } = await import('./index.ts')
  const sandbox = await createLeadSandbox()
  await expect(
    sandbox.callbacks.wait({ leadId: '50000000-0000-4000-8000-00000000ffff', timeoutMs: 50 }),
  ).rejects.toMatchObject({ status: 404 })
  await sandbox.close()
})

describe('a process with a sandbox', () => {
  /** Runs a program in this folder until it exits. */
  const run = (program: string) =>
    promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: dirname(fileURLToPath(import.meta.url)),
      timeout: 100_000,
    })
  const opening = `
    const { createLeadSandbox } = await import('./index.ts')
    const { setupServer } = await import('msw/node')
    const sandbox = await createLeadSandbox({ onCallback: () => new Response(null, { status: 500 }) })
    setupServer(...sandbox.handlers).listen()
    const { account, leads, faults, testLeads } = sandbox
    const submit = () => fetch(account.base_url + '/lead', {
      method: 'POST',
      headers: { apikey: account.publisher.api_key, 'content-type': 'application/json' },
      body: JSON.stringify(testLeads.distributed()),
    })`

  it('exits by itself, even if nothing was closed and a callback is waiting for its retry', async () => {
    const { stdout } = await run(`${opening}
      const { lead_id } = await (await submit()).json()
      await leads.trigger(lead_id, { event: 'approved' })
      for (let tries = 0; tries < 1; ) tries = (await leads.show(lead_id)).callbacks[0].attempts.length
      console.log((await leads.show(lead_id)).callbacks[0].state)`)
    expect(stdout).toBe('pending\n')
  })

  it('stays alive while a late response is pending', async () => {
    const { stdout } = await run(`${opening}
      await faults.add({ match: { operation: 'submitLead' }, effect: { latency_ms: 300 } })
      console.log((await submit()).status)`)
    expect(stdout).toBe('200\n')
  })
})
