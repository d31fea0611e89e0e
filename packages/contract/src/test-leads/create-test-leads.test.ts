import { describe, expect, it } from 'vitest'
import {
  formalInterpretation,
  type LeadSubmission,
  maxBodyBytes,
  type PublishedAccount,
  proseInterpretation,
} from '../index.ts'
import { leadSubmission } from '../shapes.ts'
import { accountWith, advertiserWith, ids, productWith } from './account.fixture.ts'
import { testLeadCatalog } from './catalog.ts'
import { createTestLeads } from './create-test-leads.ts'
import { requestsOf } from './test-leads.ts'

const noon = new Date('2026-06-15T12:00:00Z')
const leadsOf = (parts: Partial<PublishedAccount> = {}) =>
  createTestLeads(accountWith(parts), { tag: 'qa', today: noon })
const ofProduct = (criteria: Partial<PublishedAccount['products'][number]['criteria']>) =>
  leadsOf({ products: [productWith(criteria)] })
const addressOf = (lead: LeadSubmission) => lead.customer.contact.email.address

describe('a test lead', () => {
  it('is the smallest lead that is valid under every interpretation', () => {
    const accepted = { accepted: true, accepted_at: '2026-06-15T12:00:00.000Z', version: expect.any(String) }
    expect(leadsOf().distributed()).toEqual({
      product_id: ids.active,
      publisher_id: ids.publisher,
      customer: {
        personal_data: { first_name: 'Ana', last_name: 'Prueba', gender: 'female' },
        contact: { email: { address: 'lead-1-qa@example.com' } },
      },
      product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
      consents: {
        entries: [
          { type: 'terms', ...accepted },
          { type: 'privacy_policy', ...accepted },
        ],
        metadata: { ip_address: '203.0.113.7', collected_at: '2026-06-15T12:00:00.000Z' },
      },
    })
  })

  it.each(testLeadCatalog.filter(({ reaches }) => reaches.http !== 400 && reaches.http !== 413))(
    'is valid under both interpretations: $name',
    ({ name }) => {
      for (const { body } of requestsOf(leadsOf()[name]()))
        for (const interpretation of [proseInterpretation, formalInterpretation])
          expect(leadSubmission(interpretation).safeParse(JSON.parse(body)).success).toBe(true)
    },
  )

  it('is a new customer in each call and in each run', () => {
    const leads = leadsOf()
    const others = [createTestLeads(accountWith()), createTestLeads(accountWith())]
    const addresses = [leads, leads, ...others].map(each => addressOf(each.distributed()))
    expect(new Set(addresses).size).toBe(4)
  })

  it('accepts changes at any depth, and removes fields set to undefined', () => {
    const lead = leadsOf().distributed({
      customer: { personal_data: { first_name: 'Eva', gender: undefined }, address: { city: 'Burgos' } },
      consents: { entries: [] },
    })
    expect(lead.customer.personal_data).toEqual({ first_name: 'Eva', last_name: 'Prueba' })
    expect(lead.customer.address).toEqual({ city: 'Burgos' })
    expect(lead.consents.entries).toEqual([])
  })

  it('shares nothing with another one', () => {
    const leads = leadsOf()
    leads.distributed().product_data.loan_amount = 1
    expect(leads.distributed().product_data.loan_amount).toBe(5000)
  })

  it('asks a sandbox for a scenario by its e-mail address', () => {
    const { scenario, internalError } = leadsOf()
    expect([scenario('lost_reply'), scenario('http_500.distributed'), internalError()].map(addressOf)).toEqual([
      'lost_reply+1-qa@sandbox.test',
      'http_500.distributed+2-qa@sandbox.test',
      'http_500+3-qa@sandbox.test',
    ])
  })

  it('is one of two leads of the same customer if the outcome needs two', () => {
    const { customerAlreadyExists, duplicateSubmission } = leadsOf()
    for (const [first, second] of [customerAlreadyExists(), duplicateSubmission()])
      expect(addressOf(second)).toBe(addressOf(first))
  })

  it('has a sandbox key if its key is unknown', () => {
    expect(leadsOf().unauthorized().headers).toEqual({
      'content-type': 'application/json',
      apikey: 'sandbox_pub_that_nobody_has',
    })
  })

  it('exceeds the size limit by one byte if it is too large', () => {
    expect(Buffer.byteLength(leadsOf().payloadTooLarge().body)).toBe(maxBodyBytes + 1)
  })
})

describe('criteria', () => {
  it('are violated by the smallest possible margin', () => {
    expect(leadsOf().incomeInsufficient().customer.profile?.monthly_income).toBe(599)
    expect(leadsOf().new().product_data.loan_amount).toBe(50_001)
    const of = (min: number, max: number) => ofProduct({ loan_amount: { min, max } }).eligibilityFailed().product_data
    expect([of(501, 75_000), of(500, 74_999)].map(loan => loan.loan_amount)).toEqual([500, 75_000])
    const term = { loan_term_months: { min: 3, max: 60 } }
    expect(ofProduct(term).eligibilityFailed().product_data.loan_term_months).toBe(61)
  })

  it.each([
    [
      'document',
      [{ email: 'a@b.es' }, { identification_number: 'X9' }],
      { personal_data: { identification_number: 'X9' } },
    ],
    ['phone', [{ email: 'a@b.es', phone: '600' }], { contact: { phone: { number: '600' } } }],
    ['e-mail address', [{ email: 'a@b.es' }], { contact: { email: { address: 'a@b.es' } } }],
  ])('of the blacklist match the %s', (_title, blacklist, customer) => {
    expect(leadsOf({ blacklist }).blacklisted().customer).toMatchObject(customer)
  })
})

describe("an account that can't produce an outcome", () => {
  const takesAll = [advertiserWith({ loan_amount: { min: 0, max: 99_999 } })]
  const countries = ['PT', 'FR', 'IT', 'DE', 'GB', 'US', 'MX', 'BR', 'JP']
  it.each([
    ['distributed', 'loan_amount', { advertisers: [] }],
    ['new', 'loan_amount', { advertisers: takesAll }],
    ['new', 'loan_amount', { products: [productWith({ loan_amount: { min: 1, max: 2 } })] }],
    ['duplicateSubmission', 'duplicate_window', { settings: { duplicate_window: 'PT0S' } }],
    ['eligibilityFailed', 'occupations_excluded', { products: [productWith({ occupations_excluded: [] })] }],
    ['incomeInsufficient', 'minimum_monthly_income', { products: [productWith({ minimum_monthly_income: 0 })] }],
    ['geographicRestriction', 'countries', { products: [productWith({ countries })] }],
    ['fraudSuspected', 'fraud_ip_ranges', { products: [productWith({ fraud_ip_ranges: [] })] }],
    ['distributed', 'fraud_ip_ranges', { products: [productWith({ fraud_ip_ranges: ['0.0.0.0/0'] })] }],
    ['blacklisted', 'blacklist', { blacklist: [] }],
    ['invalidProduct', 'active: false', { products: [productWith({})] }],
  ] as const)('says what to change for %s: %s', (name, named, parts) => {
    expect(() => leadsOf(parts)[name]()).toThrow(new RegExp(`^[A-Z].*: .*${named}.*\\.$`))
  })

  it('is refused immediately if it has no active product', () => {
    expect(() => leadsOf({ products: [{ ...productWith({}), active: false }] })).toThrow('active: true')
  })

  it('keeps unrelated fields', () => {
    const leads = ofProduct({ fraud_ip_ranges: ['0.0.0.0/0'], loan_amount: { min: 1, max: 2 } })
    expect(leads.fraudSuspected().consents.metadata?.ip_address).toBe('0.0.0.0')
    expect(leads.malformedJson().body).toContain(ids.active)
  })
})

it.each(['', 'two words', 'a@b', 'ñ'])('refuses the tag "%s", which is not valid in an e-mail address', tag => {
  expect(() => createTestLeads(accountWith(), { tag })).toThrow('letters, digits and hyphens')
})
