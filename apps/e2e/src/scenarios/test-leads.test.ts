import { createTestLeads, testLeadCatalogue } from '@lead-distribution/contract/testing'
import { describe, expect, it } from 'vitest'
import { inMemory } from '../adapters/every-adapter.ts'
import { reachedBy } from '../adapters/submission.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

/** Every row of the catalogue, with a title that tells both readings of a test lead apart. */
const rows = testLeadCatalogue.map(({ name, reaches, settings }) => {
  const { http, ...words } = reaches
  return { name, reaches, settings, title: `${name} reaches ${http} ${Object.values(words).join(' ')}` }
})

/** Criteria that differ from the default ones in every respect. */
const otherCriteria = ({ account }: Tenant) => ({
  blacklist: [{ phone: '+351 600 123 456' }],
  products: account.products.map(({ product_id }) => ({
    product_id,
    criteria: {
      min_age: 0,
      max_age: 40,
      minimum_monthly_income: 3000,
      countries: ['PT', 'FR'],
      loan_amount: { min: 10_000, max: 90_000 },
      loan_term_months: { min: 36, max: 48 },
      occupations_excluded: [],
      fraud_ip_ranges: ['203.0.113.0/24', '10.0.0.0/8'],
    },
  })),
  advertisers: account.advertisers.map(({ advertiser_id }) => ({
    advertiser_id,
    criteria: {
      loan_amount: { min: 0, max: 100_000 },
      loan_term_months: { min: 40, max: 84 },
      loan_purposes_excluded: ['home_improvement'],
    },
  })),
})

inMemory('test leads', adapter => {
  describe.each(['prose', 'formal'])('under the profile %s', profile => {
    it.each(rows)('$title', async ({ name, reaches, settings }) => {
      const tenant = await createTenant(adapter, { profile, settings })
      expect(await reachedBy(tenant, name)).toEqual(reaches)
    })

    it.each(rows)('$title by other criteria too', async ({ name, reaches, settings }) => {
      const tenant = await createTenant(adapter, { profile, settings })
      await tenant.change(otherCriteria(tenant))
      expect(await reachedBy(tenant, name)).toEqual(reaches)
    })
  })

  it('are of a new customer at each call, whoever built them', async () => {
    const tenant = await createTenant(adapter)
    const leads = createTestLeads(tenant.account)
    for (const lead of [leads.distributed(), leads.distributed(), createTestLeads(tenant.account).distributed()])
      expect((await tenant.submitBody(lead)).json.status).toBe('distributed')
  })
})
