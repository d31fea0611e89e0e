import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { LeadTenant } from './index.ts'
import { publisherOf } from './sandbox-server.fixture.ts'
import { useLeadSandbox } from './vitest.ts'

vi.setConfig({ maxConcurrency: 50 })
const fifty = Array.from({ length: 50 }, (_, index) => index)

/** What one of many tests does: all of them with one e-mail address, each with a clock and faults of its own. */
async function liveThrough({ account, control, testLeads }: LeadTenant, index: number, others: Promise<void>) {
  const publisher = publisherOf({ account })
  const match = { operation: 'submitLead' } as const
  await control.changeClock({ freeze: true })
  await others
  if (index % 2 === 1) await control.addFault({ match, effect: { status: 500 } })
  const lead = testLeads.distributed({ customer: { contact: { email: { address: 'ana@example.com' } } } })
  const submitted = await publisher.submit(lead).catch((fault: Error) => fault)
  await others
  const { leads } = await control.listLeads()
  const { requests } = await control.listRequests()
  const { faults } = await control.listFaults()
  const { mode } = await control.showClock()
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

describe('fifty tests side by side', () => {
  useLeadSandbox()
  const names = new Set<string>()
  const allThere = Promise.withResolvers<void>()
  afterAll(() => expect(names.size).toBe(fifty.length))

  it.concurrent.for(fifty)('number %i meets nothing of the others', async (index, { leadSandbox }) => {
    names.add(leadSandbox.account.tenant)
    if (names.size === fifty.length) allThere.resolve()
    expect(await liveThrough(leadSandbox, index, allThere.promise)).toMatchObject(expected(index))
  })
})

describe('one test after the other', () => {
  const server = setupServer()
  beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
  afterEach(() => server.resetHandlers())
  afterAll(() => server.close())
  const sandbox = useLeadSandbox({ server, frozenAt: '2026-01-31T09:30:00Z' })
  const tenants: string[] = []

  it.each([1, 2, 3])('finds no lead of another, though the handlers are reset between them: %i', async () => {
    tenants.push(sandbox.account.tenant)
    const email = { customer: { contact: { email: { address: 'ana@example.com' } } } }
    const result = await publisherOf(sandbox).submit(sandbox.testLeads.distributed(email))
    expect(result.outcome).toBe('distributed')
    expect((await sandbox.control.showClock()).mode).toBe('frozen')
    expect(new Set(tenants).size).toBe(tenants.length)
  })

  it('lets a handler of the test go before those of the sandbox', async () => {
    const { base_url } = sandbox.account
    server.use(http.post(`${base_url}/lead`, () => HttpResponse.json({ status: 'teapot' }, { status: 200 })))
    const result = await publisherOf(sandbox).submit(sandbox.testLeads.distributed())
    expect(result.outcome).toBe('unrecognized')
  })

  it('finds them in their place in a boundary of msw', () =>
    server.boundary(async () => {
      const result = await publisherOf(sandbox).submit(sandbox.testLeads.distributed())
      expect(result.outcome).toBe('distributed')
    })())
})

describe('outside of a test', () => {
  const sandbox = useLeadSandbox()
  let told = ''
  try {
    void sandbox.account
  } catch (fault) {
    told = String(fault)
  }
  it('there is no account, and the error says when there is one', () => {
    expect(told).toContain('use the lead sandbox in a test')
  })

  const both = Promise.withResolvers<void>()
  let there = 0
  it.concurrent.for([1, 2])('nobody guesses which of several tests is meant: %i', async () => {
    if (++there === 2) both.resolve()
    await both.promise
    expect(() => sandbox.account).toThrow('take `leadSandbox` from the context')
  })
})
