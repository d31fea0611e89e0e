import { rejectionReasons } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import type { AdvertiserNetwork } from '../distribution/distribute.ts'
import { accountWith, advertiser, factsOf, leadWith } from '../facts.fixture.ts'
import { rules } from '../rules/index.ts'
import { decide } from './decide.ts'
import type { DecisionPorts } from './decision.ts'
import type { ForcedOutcome } from './forced-outcome.ts'

/** Accepts what it is forced to, and nothing else. */
const network: AdvertiserNetwork = {
  offer: async (_, { forced }) =>
    forced
      ? { decision: 'accepted', redirect_url: 'https://advertiser.test/' }
      : { decision: 'declined', reasons: ['no'] },
}
const ports: DecisionPorts = { network, newLeadId: () => 'the-lead' }
const forcing = (outcome?: ForcedOutcome['outcome']) => async () => ({
  check: 'scenario',
  name: 'a_name',
  ...(outcome === undefined ? {} : { outcome }),
})

const account = accountWith({}, { advertisers: [advertiser(1)] })
/** A lead that a business rule refuses. */
const poor = leadWith(body => {
  body.customer.profile = { occupation: 'other', monthly_income: 1 }
})

describe('a forced outcome', () => {
  it.each(['new', 'distributed'] as const)('makes a lead %s that the rules refuse', async outcome => {
    const decision = await decide(factsOf({ account, lead: poor }), ports, forcing(outcome))
    expect(decision).toMatchObject({ status: outcome, lead_id: 'the-lead', forced_by: 'a_name' })
    expect(decision.trace).toContainEqual({ check: 'scenario', verdict: 'forced', input: 'a_name' })
  })

  it.each(rejectionReasons)('refuses a good lead with %s, as a business rejection', async reason => {
    const decision = await decide(factsOf({ account }), ports, forcing(reason))
    const withLead = rules.some(rule => rule.reason === reason && rule.refusal === 'with_lead')
    const refusal = withLead ? 'with_lead' : 'without_lead'
    expect(decision).toMatchObject({ status: 'rejected', reason, refusal, forced: true, forced_by: 'a_name' })
    expect('lead_id' in decision).toBe(withLead)
  })

  it.each(['new', 'distributed'] as const)('draws no id for a %s whose address is taken', async outcome => {
    const newLeadId = () => {
      throw new Error('An id was drawn.')
    }
    const facts = factsOf({ account, customer: { lead_id: 'taken' } })
    const decision = await decide(facts, { network, newLeadId }, forcing(outcome))
    expect(decision).toMatchObject({ reason: 'customer_already_exists', forced_by: 'a_name' })
    expect(decision.trace.at(-1)).toEqual({ check: 'claim', verdict: 'rejected' })
  })

  it('can prevent any decision', async () => {
    const decision = await decide(factsOf({ account }), ports, forcing('undecided'))
    expect(decision).toMatchObject({ status: 'undecided', forced_by: 'a_name' })
    expect(decision).not.toHaveProperty('lead_id')
  })

  it('lets the rules decide where it names no outcome', async () => {
    expect(await decide(factsOf({ account }), ports, forcing())).toMatchObject({ status: 'new', forced_by: 'a_name' })
    expect(await decide(factsOf({ account, lead: poor }), ports, forcing())).toMatchObject({
      reason: 'income_insufficient',
      forced_by: 'a_name',
    })
  })

  it('leaves every check once in every trace, those that were not reached as skipped', async () => {
    const checks = async (outcome?: ForcedOutcome['outcome']) =>
      (await decide(factsOf({ account }), ports, forcing(outcome))).trace.map(({ check }) => check)
    const whole = ['shape', 'publisher', ...rules.map(({ check }) => check), 'distribution', 'claim']
    whole.splice(4, 0, 'scenario')
    expect(await checks('undecided')).toEqual(whole)
    expect(await checks('blacklisted')).toEqual(whole)
    // The claim is made, and noted, when the decision is stored.
    for (const outcome of ['new', 'distributed', undefined] as const)
      expect(await checks(outcome)).toEqual(whole.slice(0, -1))
  })

  it('is not asked for where a semantic rule refuses', async () => {
    const find = () => Promise.reject(new Error('A forced outcome was asked for.'))
    const refused = await decide(factsOf({ account, product: undefined }), ports, find)
    expect(refused).toMatchObject({ reason: 'invalid_product', refusal: 'semantic' })
  })
})
