import { type ConformanceCase, Mismatch, Unclear } from '../../conformance-case.ts'
import { expectLead, expectOf, expectSame, isAbsent } from '../../expectations.ts'
import type { Changes, Target } from '../../target.ts'
import { fullLead } from './full-lead.ts'
import { leadsOf } from './rejections.ts'

/** Returns the changes that make a body minimal under the target's interpretations. */
async function smallestOf(target: Target): Promise<Changes> {
  const [gender, metadata] = [await target.interpretation('gender'), await target.interpretation('consent_metadata')]
  return {
    ...(gender !== 'required' && { 'customer.personal_data.gender': undefined }),
    ...(metadata !== 'required' && { 'consents.metadata': undefined }),
  }
}

/** Valid leads and their status (Spec 3, 4.1). */
export const submittingCases: readonly ConformanceCase[] = [
  {
    id: '4.1/judges-a-smallest-lead',
    title: 'accepts a lead with only the required fields',
    statements: ['4.1/rule-1', '4.1/200', '4.1/method_and_path', '5/publisher_key'],
    run: async target => expectLead(await target.submit(target.submission(await smallestOf(target)))),
  },
  {
    id: '4.1/judges-a-full-lead',
    title: 'accepts a lead with every field',
    statements: ['2.1/tracking', '2.2/address', '2.2/profile', '2.2/financial_instruments', '4.1/200'],
    run: async target => expectLead(await target.submit(fullLead(target))),
  },
  {
    id: '4.1/answers-in-json',
    title: 'responds to a lead in JSON',
    statements: ['4.1/200', '2.12/status'],
    async run(target) {
      const response = await target.submit(target.submission())
      const type = response.headers.get('content-type') ?? 'none'
      if (!/^application\/json\b/i.test(type)) throw new Mismatch('the content-type application/json', type)
      expectLead(response)
    },
  },
  {
    id: '2.12/gives-each-lead-its-own-id',
    title: 'gives each lead its own id',
    statements: ['2.12/lead_id'],
    async run(target) {
      const responses = [await target.submit(target.submission()), await target.submit(target.submission())]
      for (const response of responses) expectLead(response)
      const ids = responses.map(({ json }) => json.lead_id).filter(id => !isAbsent(id))
      expectSame('the number of ids of two leads', new Set(ids).size, 2)
    },
  },
  {
    id: '3/distributes-and-redirects',
    title: 'distributes a lead that an advertiser accepts, with a redirect_url',
    statements: ['3/distributed', '4.1/rule-3', '2.12/redirect_url', '9/rule-2'],
    async run(target) {
      const response = await target.submit(target.submission())
      if (!target.testLeads && response.json?.status !== 'distributed')
        throw new Unclear("The ordinary lead was not distributed: pass the advertisers' criteria with --account.")
      expectLead(response, 'distributed')
      const { protocol } = new URL(response.json.redirect_url)
      expectOf(response, /^https?:$/.test(protocol), 'a redirect_url that a browser opens')
    },
  },
  {
    id: '3/keeps-as-new',
    title: 'stores a lead that no advertiser accepts as new, without a redirect_url',
    statements: ['3/new', '2.12/redirect_url', '2.12/status', '9/rule-2'],
    needs: ['account'],
    run: async target => expectLead(await target.submit(leadsOf(target, 'new')[0]), 'new'),
  },
  {
    id: '2.6/judges-a-profile-that-holds-what-is-required',
    title: 'accepts a profile with only an occupation and an income',
    statements: ['2.6/required', '2.6/occupation', '2.6/monthly_income'],
    async run(target) {
      const profile = { occupation: 'indefinite_employee', monthly_income: 5000 }
      expectLead(await target.submit(target.submission({ 'customer.profile': profile })))
    },
  },
  {
    id: '2.7/judges-an-instrument-without-any-field',
    title: 'accepts a financial instrument, an address and tracking without any field',
    statements: ['2.2/financial_instruments', '2.2/address', '2.1/tracking'],
    async run(target) {
      const nothing = { 'customer.financial_instruments': [{}], 'customer.address': {}, tracking: {} }
      expectLead(await target.submit(target.submission(nothing)))
    },
  },
  {
    id: '8/lives-in-spain-by-default',
    title: 'assumes the country ES for an address without one',
    statements: ['8/country', '2.5/country'],
    needs: ['account'],
    async run(target) {
      const [abroad] = leadsOf(target, 'geographicRestriction')
      const spain = target.facts.account?.products.find(({ active }) => active)?.criteria.countries.includes('ES')
      if (!spain || !abroad) throw new Unclear('The product is not available in ES, so the default has no effect.')
      const response = await target.submit(target.submission({ 'customer.address': { city: 'Burgos' } }))
      expectLead(response)
      expectOf(response, response.json.rejection_reason !== 'geographic_restriction', 'a lead in ES')
    },
  },
  {
    id: 'open/ignores-unknown-fields',
    title: 'ignores unknown fields at any depth',
    statements: ['4.1/200'],
    async run(target) {
      const unknown = { shoe_size: 42, 'customer.pets': [], 'product_data.colour': null, 'consents.entries.0.seal': {} }
      expectLead(await target.submit(target.submission(unknown)))
    },
  },
]
