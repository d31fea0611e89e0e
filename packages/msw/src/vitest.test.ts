import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Tenant } from './index.ts'
import { publisherOf, strict } from './sandbox-server.fixture.ts'
import { useLeadSandbox } from './vitest.ts'

vi.setConfig({ maxConcurrency: 50 })
const fifty = Array.from({ length: 50 }, (_, index) => index)

/** One of many tests: all use the same e-mail address, but their own clock and faults. */
async function liveThrough(tenant: Tenant, index: number, others: Promise<void>) {
  const { account, testLeads } = tenant
  const publisher = publisherOf({ account })
  const match = { operation: 'submitLead' } as const
  await tenant.clock.freeze()
  await others
  if (index % 2 === 1) await tenant.faults.add({ match, effect: { status: 500 } })
  const lead = testLeads.distributed({ customer: { contact: { email: { address: 'ana@example.com' } } } })
  const submitted = await publisher.submit(lead).catch((error: Error) => error)
  await others
  const { leads } = await tenant.leads.list()
  const { requests } = await tenant.requests.list()
  const { faults } = await tenant.faults.list()
  const { mode } = await tenant.clock.show()
  return {
    mode,
    submitted,
    leads: leads.length,
    statuses: requests.map(({ status }) => status),
    faults: faults.length,
  }
}

const expected = (index: number) =>
  index % 2 === 1
    ? { leads: 0, statuses: [500], faults: 1, mode: 'frozen' }
    : { leads: 1, statuses: [200], faults: 0, mode: 'frozen', submitted: { outcome: 'distributed' } }

describe('fifty concurrent tests', () => {
  useLeadSandbox()
  const names = new Set<string>()
  const allThere = Promise.withResolvers<void>()
  afterAll(() => expect(names.size).toBe(fifty.length))

  it.concurrent.for(fifty)('number %i is isolated from the others', async (index, { leadSandbox }) => {
    names.add(leadSandbox.account.tenant)
    if (names.size === fifty.length) allThere.resolve()
    expect(await liveThrough(leadSandbox, index, allThere.promise)).toMatchObject(expected(index))
  })
})

describe('consecutive tests', () => {
  const server = setupServer()
  beforeAll(() => server.listen(strict))
  afterEach(() => server.resetHandlers())
  afterAll(() => server.close())
  const sandbox = useLeadSandbox({ server, frozenAt: '2026-01-31T09:30:00Z' })
  const tenants: string[] = []

  it.each([1, 2, 3])('share no leads, even if the handlers are reset between them: %i', async () => {
    tenants.push(sandbox.account.tenant)
    const email = { customer: { contact: { email: { address: 'ana@example.com' } } } }
    const result = await publisherOf(sandbox).submit(sandbox.testLeads.distributed(email))
    expect(result.outcome).toBe('distributed')
    expect((await sandbox.clock.show()).mode).toBe('frozen')
    expect(new Set(tenants).size).toBe(tenants.length)
  })

  it("can override the sandbox's handlers", async () => {
    const { base_url } = sandbox.account
    server.use(http.post(`${base_url}/lead`, () => HttpResponse.json({ status: 'teapot' }, { status: 200 })))
    const result = await publisherOf(sandbox).submit(sandbox.testLeads.distributed())
    expect(result.outcome).toBe('unrecognized')
  })

  it('work inside an msw boundary', () =>
    server.boundary(async () => {
      const result = await publisherOf(sandbox).submit(sandbox.testLeads.distributed())
      expect(result.outcome).toBe('distributed')
    })())
})

describe.each([
  [undefined, 1],
  ['warn', 1],
  ['bypass', 0],
] as const)('with onUnhandledRequest: %s', (onUnhandledRequest, warnings) => {
  useLeadSandbox({ onUnhandledRequest })

  it(`warns ${warnings} times about a request to the server under test`, async () => {
    const server = createServer((_, response) => response.end('own')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => {
      warn.mockRestore()
      server.close()
      server.closeAllConnections()
    })
    const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    expect([await reply.text(), warn.mock.calls.length]).toEqual(['own', warnings])
  })
})

describe('the shared tenant', () => {
  const sandbox = useLeadSandbox()
  let message = ''
  try {
    void sandbox.account
  } catch (error) {
    message = String(error)
  }
  it('explains outside a test when it is available', () => {
    expect(message).toContain('use the lead sandbox in a test')
  })

  const both = Promise.withResolvers<void>()
  let there = 0
  it.concurrent.for([1, 2])('refuses to guess between concurrent tests: %i', async () => {
    if (++there === 2) both.resolve()
    await both.promise
    expect(() => sandbox.account).toThrow('use `leadSandbox` from the test context')
  })
})
