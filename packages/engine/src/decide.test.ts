import { type RejectedLead, rejectionLeads, rejectionReasons } from '@lead-distribution/contract'
import { withFields } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { type AdvertiserNetwork, admit, type DecisionPorts, decide, type ForcedOutcome } from './decide.ts'
import { accountWith, advertiser, factsOf, leadWith, noon, productWith, submission } from './facts.fixture.ts'
import { rules } from './rules/index.ts'
import type { Facts } from './rules/rule.ts'

const consentMetadata = { ip_address: '203.0.113.7', collected_at: '2026-06-15T09:30:00Z' }
const checks = rules.map(({ check }) => check)

/** Facts that break the check of this index and every check after it; all if there is no index. */
function brokenFrom(index = 0): Facts {
  const account = accountWith(
    {},
    {
      products: [
        productWith(),
        { ...productWith(), product_id: '20000000-0000-4000-8000-00000000000f', active: false },
      ],
      blacklist: [{ identification_number: 'BLACKLISTED-1' }],
    },
  )
  const context = { ...account, criteria: productWith().criteria, today: new Date(noon) }
  const failing: RejectedLead[] = Object.values(rejectionLeads).slice(index)
  const fields = failing.toReversed().map(({ outside }) => outside?.(context)[0])
  const body = withFields(submission(), Object.assign({ 'consents.metadata': consentMetadata }, ...fields))
  const after = failing.map(rule => rule.after)
  const customer = {
    ...(after.includes('creation') && { lead_id: 'taken' }),
    ...(after.includes('rejection') && { refused_at: noon - 1 }),
  }
  return factsOf({
    lead: leadWith(lead => Object.assign(lead, body)),
    account,
    product: account.products.find(({ product_id }) => product_id === body.product_id),
    customer,
  })
}

describe('admitting', () => {
  it.each(rules.map(({ check }, index) => [check, index] as const))(
    'rejects by %s a lead that breaks it and every rule after it [2.12/rejection_reason]',
    (check, index) => {
      const { rejectedBy, trace } = admit(brokenFrom(index))
      expect(rejectedBy?.check).toBe(check)
      expect(trace.map(step => [step.check, step.verdict])).toEqual([
        ...checks.slice(0, index).map(name => [name, 'passed']),
        [check, 'rejected'],
        ...checks.slice(index + 1).map(name => [name, 'skipped']),
        ['distribution', 'skipped'],
        ['claim', 'skipped'],
      ])
    },
  )

  it('judges the reasons of the specification in this order, and says of each what to change', () => {
    const specified = [
      ['product', 'invalid_product', 'semantic', 'Submit a product_id of the account.'],
      [
        'consents',
        'consents_missing',
        'semantic',
        'Send consents.entries of the types terms and privacy_policy, each with accepted: true and none with accepted: false.',
      ],
      ['product_active', 'invalid_product', 'without_lead', 'Submit a product that is active.'],
      ['blacklist', 'blacklisted', 'with_lead', "Take the customer off the account's blacklist."],
      [
        'customer',
        'customer_already_exists',
        'without_lead',
        'Submit another e-mail address, or the same one for another product.',
      ],
      [
        'duplicate',
        'duplicate_submission',
        'without_lead',
        'Wait for the end of the duplicate window, or advance the clock of the tenant.',
      ],
      [
        'fraud',
        'fraud_suspected',
        'with_lead',
        'Send consents.metadata.ip_address from outside the fraud_ip_ranges of the product.',
      ],
      ['age', 'age_restriction', 'with_lead', 'Send a birthday that makes the customer 18 to 75 years old.'],
      ['income', 'income_insufficient', 'with_lead', 'Send a monthly_income of at least 600.'],
      ['geography', 'geographic_restriction', 'with_lead', 'Send an address.country among ES.'],
      [
        'eligibility',
        'eligibility_failed',
        'with_lead',
        'Change loan_amount so that the criteria of the product are met.',
      ],
    ]
    const judged = rules.map(({ check, reason, kind }, index) => {
      const { trace } = admit(brokenFrom(index))
      return [check, reason, kind, trace.find(step => step.check === check)?.hint]
    })
    expect(judged.filter(([check]) => specified.some(([known]) => known === check))).toEqual(specified)
    for (const [, , , hint] of judged) expect(hint).toMatch(/^[A-Z].*\.$/)
  })

  it('passes the lead once every rule is fixed', () => {
    const { rejectedBy, trace } = admit(brokenFrom(rules.length))
    expect(rejectedBy).toBeUndefined()
    expect(trace.every(({ verdict }) => verdict === 'passed')).toBe(true)
  })

  it('shows what each check looked at, and what to change only for the one that rejects', () => {
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

/** A network in which only these advertisers accept; it notes which were asked. */
function networkOf(...accepting: string[]) {
  const asked: string[] = []
  const network: AdvertiserNetwork = {
    async offer({ name }, { lead_id }) {
      asked.push(name)
      return accepting.includes(name)
        ? { decision: 'accepted', redirect_url: `https://advertiser.test/${name.at(-1)}/${lead_id}` }
        : { decision: 'declined', reasons: ['not today'] }
    },
  }
  return { network, asked }
}

const newLeadId = () => 'the-lead'

const account = (distribution: 'first_accept' | 'all_accepting') =>
  accountWith({ distribution }, { advertisers: [advertiser(3), advertiser(1), advertiser(2)] })

describe('deciding', () => {
  it('asks by priority, up to the first that accepts [3/distributed]', async () => {
    const { network, asked } = networkOf('Advertiser 2', 'Advertiser 3')
    const decision = await decide(factsOf({ account: account('first_accept') }), { network, newLeadId })
    expect(asked).toEqual(['Advertiser 1', 'Advertiser 2'])
    expect(decision).toMatchObject({
      status: 'distributed',
      lead_id: 'the-lead',
      redirect_url: 'https://advertiser.test/2/the-lead',
      deliveries: [
        { name: 'Advertiser 1', decision: 'declined', reasons: ['not today'] },
        { name: 'Advertiser 2', decision: 'accepted', reasons: [] },
      ],
    })
  })

  it('asks all of them where all that accept get the lead, and redirects to the first [3/distributed]', async () => {
    const { network, asked } = networkOf('Advertiser 2', 'Advertiser 3')
    const decision = await decide(factsOf({ account: account('all_accepting') }), { network, newLeadId })
    expect(asked).toEqual(['Advertiser 1', 'Advertiser 2', 'Advertiser 3'])
    expect(decision).toMatchObject({ status: 'distributed', redirect_url: 'https://advertiser.test/2/the-lead' })
    expect(decision).toMatchObject({
      deliveries: [{ decision: 'declined' }, { decision: 'accepted' }, { decision: 'accepted' }],
    })
  })

  it.each(['first_accept', 'all_accepting'] as const)(
    'makes a lead that no advertiser takes new, under %s [3/new]',
    async way => {
      const { network, asked } = networkOf()
      const decision = await decide(factsOf({ account: account(way) }), { network, newLeadId })
      expect(asked).toHaveLength(3)
      expect(decision).toMatchObject({ status: 'new', lead_id: 'the-lead' })
      expect(decision).not.toHaveProperty('redirect_url')
    },
  )

  it('makes a lead new where there is no advertiser at all [3/new]', async () => {
    const { network } = networkOf()
    expect(await decide(factsOf(), { network, newLeadId })).toMatchObject({ status: 'new', deliveries: [] })
  })

  it('asks no advertiser for a lead that a rule rejects [3/rejected]', async () => {
    const { network, asked } = networkOf('Advertiser 1')
    const lead = leadWith(body => {
      body.customer.address = { country: 'PT' }
    })
    const decision = await decide(factsOf({ lead, account: account('first_accept') }), { network, newLeadId })
    expect(asked).toEqual([])
    expect(decision).toMatchObject({ status: 'rejected', reason: 'geographic_restriction', lead_id: 'the-lead' })
  })

  it('draws no id for a rejection that keeps no lead [2.12/lead_id]', async () => {
    const { network } = networkOf()
    const decision = await decide(factsOf({ customer: { lead_id: 'taken' } }), {
      network,
      newLeadId: () => {
        throw new Error('An id was drawn.')
      },
    })
    expect(decision).toMatchObject({ status: 'rejected', reason: 'customer_already_exists' })
    expect(decision).not.toHaveProperty('lead_id')
  })

  it('says in the trace that nobody takes it, and nothing more where a rule has no values', async () => {
    const { network } = networkOf()
    const { trace } = await decide(factsOf({ account: account('first_accept') }), { network, newLeadId })
    expect(trace.at(-1)).toMatchObject({
      check: 'distribution',
      verdict: 'passed',
      hint: 'No advertiser takes the lead, so it stays new.',
    })
    for (const step of trace) expect(Object.values(step)).not.toContain(undefined)
  })

  it('lets every advertiser that is asked accept a lead whose distribution is forced', async () => {
    const offers: unknown[] = []
    const network: AdvertiserNetwork = {
      async offer(_advertiser, { forced }) {
        offers.push(forced)
        return { decision: 'accepted', redirect_url: 'https://advertiser.test/' }
      },
    }
    const forced = async () => ({ check: 'scenario', name: 'distributed', outcome: 'distributed' }) as const
    const decision = await decide(factsOf({ account: account('first_accept') }), { network, newLeadId }, forced)
    expect([offers, decision.status]).toEqual([[true], 'distributed'])
    expect(decision.trace.at(-1)).toMatchObject({ check: 'distribution', verdict: 'forced' })
  })

  it('notes the reply of each of two advertisers of one name', async () => {
    const { network } = networkOf()
    const namesakes = [advertiser(1), { ...advertiser(2), name: advertiser(1).name }]
    const { trace } = await decide(factsOf({ account: accountWith({}, { advertisers: namesakes }) }), {
      network,
      newLeadId,
    })
    expect(Object.keys(trace.at(-1)?.input as object)).toEqual(
      namesakes.map(({ name, advertiser_id }) => `${name} (${advertiser_id})`),
    )
  })

  it('notes the reply of each advertiser in the trace', async () => {
    const { network } = networkOf('Advertiser 2')
    const { trace } = await decide(factsOf({ account: account('first_accept') }), { network, newLeadId })
    expect(trace.at(-1)).toEqual({
      check: 'distribution',
      verdict: 'passed',
      input: { 'Advertiser 1': 'declined: not today', 'Advertiser 2': 'accepted' },
    })
  })
})

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

const withAdvertiser = accountWith({}, { advertisers: [advertiser(1)] })
/** A lead that a business rule rejects. */
const poor = leadWith(body => {
  body.customer.profile = { occupation: 'other', monthly_income: 1 }
})

describe('a forced outcome', () => {
  it.each(['new', 'distributed'] as const)('makes a lead %s that the rules reject', async outcome => {
    const decision = await decide(factsOf({ account: withAdvertiser, lead: poor }), ports, forcing(outcome))
    expect(decision).toMatchObject({ status: outcome, lead_id: 'the-lead', forced_by: 'a_name' })
    expect(decision.trace).toContainEqual({ check: 'scenario', verdict: 'forced', input: 'a_name' })
  })

  it.each(rejectionReasons)('rejects a good lead with %s, as a business rejection', async reason => {
    const decision = await decide(factsOf({ account: withAdvertiser }), ports, forcing(reason))
    const withLead = rules.some(rule => rule.reason === reason && rule.kind === 'with_lead')
    const kind = withLead ? 'with_lead' : 'without_lead'
    expect(decision).toMatchObject({ status: 'rejected', reason, kind, forced: true, forced_by: 'a_name' })
    expect('lead_id' in decision).toBe(withLead)
  })

  it.each(['new', 'distributed'] as const)('draws no id for a %s whose address is taken', async outcome => {
    const newLeadId = () => {
      throw new Error('An id was drawn.')
    }
    const facts = factsOf({ account: withAdvertiser, customer: { lead_id: 'taken' } })
    const decision = await decide(facts, { network, newLeadId }, forcing(outcome))
    expect(decision).toMatchObject({ reason: 'customer_already_exists', forced_by: 'a_name' })
    expect(decision.trace.at(-1)).toEqual({ check: 'claim', verdict: 'rejected' })
  })

  it('can prevent any decision', async () => {
    const decision = await decide(factsOf({ account: withAdvertiser }), ports, forcing('undecided'))
    expect(decision).toMatchObject({ status: 'undecided', forced_by: 'a_name' })
    expect(decision).not.toHaveProperty('lead_id')
  })

  it('lets the rules decide where it names no outcome', async () => {
    expect(await decide(factsOf({ account: withAdvertiser }), ports, forcing())).toMatchObject({
      status: 'new',
      forced_by: 'a_name',
    })
    expect(await decide(factsOf({ account: withAdvertiser, lead: poor }), ports, forcing())).toMatchObject({
      reason: 'income_insufficient',
      forced_by: 'a_name',
    })
  })

  it('leaves every check once in every trace, those that were not reached as skipped', async () => {
    const checks = async (outcome?: ForcedOutcome['outcome']) =>
      (await decide(factsOf({ account: withAdvertiser }), ports, forcing(outcome))).trace.map(({ check }) => check)
    const whole = ['shape', 'publisher', ...rules.map(({ check }) => check), 'distribution', 'claim']
    whole.splice(4, 0, 'scenario')
    expect(await checks('undecided')).toEqual(whole)
    expect(await checks('blacklisted')).toEqual(whole)
    // The claim is made, and noted, when the decision is stored.
    for (const outcome of ['new', 'distributed', undefined] as const)
      expect(await checks(outcome)).toEqual(whole.slice(0, -1))
  })

  it('is not asked for if a semantic rule rejects', async () => {
    const find = () => Promise.reject(new Error('A forced outcome was asked for.'))
    const rejected = await decide(factsOf({ account: withAdvertiser, product: undefined }), ports, find)
    expect(rejected).toMatchObject({ reason: 'invalid_product', kind: 'semantic' })
  })
})
