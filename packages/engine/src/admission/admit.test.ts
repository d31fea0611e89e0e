import type { LeadSubmission } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { accountWith, factsOf, leadWith, noon, productWith } from '../facts.fixture.ts'
import { rules } from '../rules/index.ts'
import type { Facts } from '../rules/rule.ts'
import { admit } from './admit.ts'

/** A lead whose data fail every criterion of the lead itself. */
const hopeless = (body: LeadSubmission) => {
  body.customer.personal_data.birthday = '2015-01-01'
  body.customer.profile = { occupation: 'unemployed', monthly_income: 0 }
  body.customer.address = { country: 'PT' }
  body.consents.metadata = { ip_address: '192.0.2.1', collected_at: '2026-06-15T09:30:00Z' }
  body.consents.entries = []
}

/** What fixes one rule after the other, in the order of judging, in facts that break them all. */
const fixes: [rule: string, fix: (facts: Facts) => Facts][] = [
  ['product', facts => ({ ...facts, product: { ...productWith(), active: false } })],
  [
    'consents',
    facts =>
      withLead(facts, lead => ({ ...lead, consents: { ...lead.consents, entries: factsOf().lead.consents.entries } })),
  ],
  ['product_active', facts => ({ ...facts, product: productWith() })],
  ['blacklist', facts => ({ ...facts, account: accountWith() })],
  ['customer', facts => ({ ...facts, customer: { refused_at: noon - 1 } })],
  ['duplicate', facts => ({ ...facts, customer: undefined })],
  ['fraud', facts => ({ ...facts, product: productWith({ fraud_ip_ranges: [] }) })],
  ['age', facts => ({ ...facts, product: productWith({ fraud_ip_ranges: [], min_age: 0 }) })],
  [
    'income',
    facts => ({ ...facts, product: productWith({ fraud_ip_ranges: [], min_age: 0, minimum_monthly_income: 0 }) }),
  ],
  [
    'geography',
    facts => withLead(facts, lead => ({ ...lead, customer: { ...lead.customer, address: { country: 'ES' } } })),
  ],
  [
    'eligibility',
    facts => ({
      ...facts,
      product: {
        ...productWith(),
        criteria: { ...(facts.product ?? productWith()).criteria, occupations_excluded: [] },
      },
    }),
  ],
]

function withLead(facts: Facts, change: (lead: Facts['lead']) => Facts['lead']): Facts {
  return { ...facts, lead: change(facts.lead) }
}

const broken = factsOf({
  lead: leadWith(hopeless),
  product: undefined,
  account: accountWith({}, { blacklist: [{ email: 'ana@example.com' }] }),
  customer: { lead_id: 'taken', refused_at: noon - 1 },
})

describe('admitting', () => {
  it('judges in the order that is written down', () => {
    expect(rules.map(({ check }) => check)).toEqual(fixes.map(([check]) => check))
  })

  it.each(fixes.map(([check], index) => [check, index] as const))(
    'refuses by %s a lead that breaks it and every rule after it [2.12/rejection_reason]',
    (check, index) => {
      const facts = fixes.slice(0, index).reduce((fixed, [, fix]) => fix(fixed), broken)
      const { refusedBy, trace } = admit(facts)
      expect(refusedBy?.check).toBe(check)
      const names = fixes.map(([name]) => name)
      expect(trace.map(step => [step.check, step.verdict])).toEqual([
        ...names.slice(0, index).map(name => [name, 'passed']),
        [check, 'rejected'],
        ...names.slice(index + 1).map(name => [name, 'skipped']),
        ['distribution', 'skipped'],
        ['claim', 'skipped'],
      ])
    },
  )

  it('has a reason for each rule, and keeps the leads that the business refuses for what they are', () => {
    expect(rules.map(({ check, reason, refusal }) => [check, reason, refusal])).toEqual([
      ['product', 'invalid_product', 'semantic'],
      ['consents', 'consents_missing', 'semantic'],
      ['product_active', 'invalid_product', 'without_lead'],
      ['blacklist', 'blacklisted', 'with_lead'],
      ['customer', 'customer_already_exists', 'without_lead'],
      ['duplicate', 'duplicate_submission', 'without_lead'],
      ['fraud', 'fraud_suspected', 'with_lead'],
      ['age', 'age_restriction', 'with_lead'],
      ['income', 'income_insufficient', 'with_lead'],
      ['geography', 'geographic_restriction', 'with_lead'],
      ['eligibility', 'eligibility_failed', 'with_lead'],
    ])
  })

  it('says of each rule what to change', () => {
    const hints = fixes.map(([check], index) => {
      const { trace } = admit(fixes.slice(0, index).reduce((fixed, [, fix]) => fix(fixed), broken))
      return trace.find(step => step.check === check)?.hint
    })
    expect(hints).toEqual([
      'Submit a product_id of the account.',
      'Send consents.entries of the types terms and privacy_policy, each with accepted: true.',
      'Submit a product that is active.',
      "Take the customer off the account's blacklist.",
      'Submit another e-mail address, or the same one for another product.',
      'Wait for the end of the duplicate window, or advance the clock of the tenant.',
      'Send consents.metadata.ip_address from outside the fraud_ip_ranges of the product.',
      'Send a birthday that makes the customer 18 to 75 years old.',
      'Send a monthly_income of at least 600.',
      'Send an address.country among ES.',
      'Change occupation so that the criteria of the product are met.',
    ])
  })

  it('passes the lead once every rule is fixed', () => {
    const { refusedBy, trace } = admit(fixes.reduce((facts, [, fix]) => fix(facts), broken))
    expect(refusedBy).toBeUndefined()
    expect(trace.every(({ verdict }) => verdict === 'passed')).toBe(true)
  })

  it('shows what each check looked at, and what to change only for the one that refuses', () => {
    const lead = leadWith(body => {
      body.customer.profile = { occupation: 'other', monthly_income: 599 }
    })
    const { trace } = admit(factsOf({ lead }))
    const income = trace.find(({ check }) => check === 'income')
    expect(income).toEqual({
      check: 'income',
      verdict: 'rejected',
      input: 599,
      threshold: 600,
      hint: expect.any(String),
    })
    expect(trace.filter(({ hint }) => hint !== undefined)).toEqual([income])
  })
})
