import { loanPurposes, occupationTypes } from '@lead-distribution/contract'
import {
  createTestLeads,
  type Reached,
  requestsOf,
  type TestLeadEntry,
  testLeadCatalog,
} from '@lead-distribution/contract/test-leads'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { inMemory } from '../adapters/every-adapter.ts'
import { openMemoryAdapter } from '../adapters/memory-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'
import { eachRow } from '../each-row.ts'

/** Builds a test lead for the current account, submits it, and returns its outcome in the catalog's notation. */
async function reachedBy(tenant: Tenant, name: TestLeadEntry['name']): Promise<Partial<Reached>> {
  let reached: Partial<Reached> = {}
  for (const { headers, body } of requestsOf(createTestLeads(tenant.account)[name]())) {
    const { status: http, json } = await tenant.submitBody(body, headers)
    const { status, rejection_reason, error } = json
    reached = {
      http,
      ...(status && { status }),
      ...(rejection_reason && { rejection_reason }),
      ...(error && { error }),
    }
  }
  return reached
}

/** Every row of the catalog, with a title that distinguishes a test lead's two interpretations. */
const rows = testLeadCatalog.map(({ name, reaches, settings }) => {
  const { http, ...outcome } = reaches
  return { name, reaches, settings, title: `${name} reaches ${http} ${Object.values(outcome).join(' ')}` }
})

inMemory('test leads', adapter => {
  describe.each(['prose', 'formal'])('under the profile %s', profile => {
    it.each(rows)('$title', async ({ name, reaches, settings }) => {
      const tenant = await createTenant(adapter, { profile, settings })
      expect(await reachedBy(tenant, name)).toEqual(reaches)
    })
  })

  it('are explained as the service then responds, without side effects', () =>
    eachRow(
      testLeadCatalog.filter(({ settings }) => !settings),
      async ({ name }) => {
        const tenant = await createTenant(adapter)
        const lead = createTestLeads(tenant.account)[name]()
        // Explanations are for single leads, not for pairs or for requests that are otherwise invalid.
        if (Array.isArray(lead) || 'headers' in lead) return
        const [{ headers, body } = expect.unreachable()] = requestsOf(lead)
        const { would, trace } = (await tenant.control('POST', '/leads/explain', { headers, body })).json
        expect((await tenant.client.leads.list()).leads).toEqual([])
        expect((await tenant.client.requests.list()).requests).toEqual([])
        const { status, json } = await tenant.submitBody(body, headers)
        const ofItsOwn = { lead_id: undefined, redirect_url: undefined }
        expect({ status, body: { ...json, ...ofItsOwn } }).toEqual({ ...would, body: { ...would.body, ...ofItsOwn } })
        const rejected = trace.filter(({ verdict }: { verdict: string }) => verdict === 'rejected')
        expect(rejected).toHaveLength(['distributed', 'new', 'internalError'].includes(name) ? 0 : 1)
      },
    ))

  it('have a new customer each time, from any builder', async () => {
    const tenant = await createTenant(adapter)
    const leads = createTestLeads(tenant.account)
    for (const lead of [leads.distributed(), leads.distributed(), createTestLeads(tenant.account).distributed()])
      expect((await tenant.submitBody(lead)).json.status).toBe('distributed')
  })
})

let adapter: Adapter
beforeAll(async () => {
  adapter = await openMemoryAdapter()
})
afterAll(() => adapter.close())

const band = (...ends: number[]) =>
  fc
    .tuple(fc.constantFrom(...ends), fc.constantFrom(...ends))
    .map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) }))
const amounts = band(0, 499, 500, 5000, 5001, 50_000, 74_999, 75_000, 90_000)
const terms = band(0, 2, 3, 24, 25, 83, 84, 120)
const incomes = fc.constantFrom(0, 1, 600, 2000, 9000)

const productCriteria = fc.record({
  min_age: fc.constantFrom(0, 1, 18, 60),
  max_age: fc.constantFrom(60, 75, 200),
  minimum_monthly_income: incomes,
  countries: fc.subarray(['ES', 'PT', 'FR', 'IT', 'DE', 'GB', 'US', 'MX', 'BR', 'JP']),
  loan_amount: amounts,
  loan_term_months: terms,
  occupations_excluded: fc.subarray([...occupationTypes]),
  fraud_ip_ranges: fc.subarray(['192.0.2.0/24', '203.0.113.7/32', '198.51.100.128/1', '0.0.0.0/0']),
})
const advertiserCriteria = fc.record({
  loan_amount: amounts,
  loan_term_months: terms,
  loan_purposes_excluded: fc.subarray([...loanPurposes]),
  minimum_monthly_income: incomes,
})
const blacklist = fc.subarray([
  { identification_number: 'X1' },
  { phone: '+34 600 000 001' },
  { email: 'listed@example.com' },
])

it('reaches the cataloged outcome, or says what to change, with any criteria', async () => {
  const account = fc.record({
    product: productCriteria,
    advertisers: fc.array(advertiserCriteria, { minLength: 3, maxLength: 3 }),
    blacklist,
    duplicate_window: fc.constantFrom('PT0S', 'PT60S'),
  })
  await fc.assert(
    fc.asyncProperty(account, async ({ product, advertisers, blacklist, duplicate_window }) => {
      const tenant = await createTenant(adapter, { settings: { duplicate_window } })
      await tenant.change({
        blacklist,
        products: tenant.account.products.map(({ product_id }) => ({ product_id, criteria: product })),
        advertisers: tenant.account.advertisers.map(({ advertiser_id }, index) => ({
          advertiser_id,
          criteria: advertisers[index],
        })),
      })
      const rows = testLeadCatalog.filter(({ settings }) => !settings)
      for (const { name, reaches } of rows) {
        const refusal = refusalOf(() => createTestLeads(tenant.account)[name]())
        if (refusal === undefined) expect([name, await reachedBy(tenant, name)]).toEqual([name, reaches])
        else expect(refusal).toMatch(/^Error: [A-Z].+: .+\.$/)
      }
    }),
    { numRuns: 25 },
  )
})

/** The reason why nothing is built; undefined if something is. */
function refusalOf(build: () => unknown): string | undefined {
  try {
    build()
    return undefined
  } catch (error) {
    return String(error)
  }
}
