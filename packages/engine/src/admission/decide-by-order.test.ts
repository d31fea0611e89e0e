import { type RejectionReason, rejectionReasons } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { accountWith, advertiser, factsOf, leadWith } from '../facts.fixture.ts'
import type { AdvertiserPanel } from '../ports/advertiser-panel.ts'
import type { Order } from '../ports/order.ts'
import { rules } from '../rules/index.ts'
import { type DecisionSources, decide } from './decide.ts'

/** Takes what it must take, and nothing else. */
const panel: AdvertiserPanel = {
  offer: async (_, { forced }) =>
    forced ? { decision: 'accepted', redirect_url: 'https://lender.test/' } : { decision: 'declined', reasons: ['no'] },
}

/** Sources with an order, which note whether it was asked for. */
function ordering(order: Omit<Order, 'word'> & { word?: string }) {
  const asked = { times: 0 }
  const sources: DecisionSources = {
    panel,
    newLeadId: () => 'the-lead',
    order: async () => {
      asked.times++
      return { word: 'a_word', ...order }
    },
  }
  return { asked, sources }
}

const account = accountWith({}, { advertisers: [advertiser(1)] })
/** A lead that the rules of the business refuse. */
const poor = leadWith(body => {
  body.customer.profile = { occupation: 'other', monthly_income: 1 }
})

describe('deciding by an order', () => {
  it.each(['new', 'distributed'] as const)('makes a lead %s that the rules would refuse', async outcome => {
    const decision = await decide(factsOf({ account, lead: poor }), ordering({ outcome }).sources)
    expect(decision).toMatchObject({ status: outcome, lead_id: 'the-lead', forced_by: 'a_word' })
    expect(decision.trace.find(({ check }) => check === 'scenario')).toEqual({
      check: 'scenario',
      verdict: 'forced',
      input: 'a_word',
    })
  })

  it.each(rejectionReasons)('refuses a good lead with %s, as a 200 rejection', async reason => {
    const decision = await decide(factsOf({ account }), ordering({ outcome: reason }).sources)
    const withLead = rules.some(rule => rule.reason === reason && rule.refusal === 'with_lead')
    expect(decision).toMatchObject({
      status: 'rejected',
      reason,
      refusal: withLead ? 'with_lead' : 'without_lead',
      forced: true,
      forced_by: 'a_word',
    })
    expect('lead_id' in decision).toBe(withLead)
  })

  it.each(['new', 'distributed'] as const)('draws no id for a forced %s whose address is taken', async outcome => {
    const newLeadId = () => {
      throw new Error('An id was drawn.')
    }
    const { sources } = ordering({ outcome })
    const facts = factsOf({ account, customer: { lead_id: 'taken' } })
    const decision = await decide(facts, { ...sources, newLeadId })
    expect(decision).toMatchObject({ reason: 'customer_already_exists', forced_by: 'a_word' })
    expect(decision.trace.at(-1)).toEqual({ check: 'claim', verdict: 'rejected' })
  })

  it('answers what was ordered in place of a decision', async () => {
    const answer = { status: 500, body: {} }
    const decision = await decide(factsOf({ account }), ordering({ answer }).sources)
    expect(decision).toMatchObject({ status: 'answered', answer, forced_by: 'a_word' })
  })

  it('lets the rules decide where no outcome was ordered, and tells of the order', async () => {
    const { sources } = ordering({})
    expect(await decide(factsOf({ account }), sources)).toMatchObject({ status: 'new', forced_by: 'a_word' })
    expect(await decide(factsOf({ account, lead: poor }), sources)).toMatchObject({
      reason: 'income_insufficient',
      forced_by: 'a_word',
    })
  })

  it('names every check once in every trace, those that were not reached as skipped', async () => {
    const checks = async (order: Omit<Order, 'word'>) =>
      (await decide(factsOf({ account }), ordering(order).sources)).trace.map(({ check }) => check)
    const whole = ['shape', 'publisher', ...rules.map(({ check }) => check), 'distribution', 'claim']
    whole.splice(4, 0, 'scenario')
    expect(await checks({ answer: { status: 500, body: {} } })).toEqual(whole)
    expect(await checks({ outcome: 'blacklisted' satisfies RejectionReason })).toEqual(whole)
    // The claim is the keeper's to add.
    expect(await checks({ outcome: 'new' })).toEqual(whole.slice(0, -1))
    expect(await checks({ outcome: 'distributed' })).toEqual(whole.slice(0, -1))
    expect(await checks({})).toEqual(whole.slice(0, -1))
  })

  it('asks for no order where a semantic check refuses', async () => {
    const { asked, sources } = ordering({ outcome: 'distributed' })
    const refused = await decide(factsOf({ account, product: undefined }), sources)
    expect(refused).toMatchObject({ reason: 'invalid_product', refusal: 'semantic' })
    expect(asked.times).toBe(0)
  })
})
