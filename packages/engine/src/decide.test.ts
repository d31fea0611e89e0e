import { type RejectedLead, rejectionLeads, rejectionReasons } from '@lead-distribution/contract'
import { withFields } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { type AdvertiserNetwork, admit, type DecisionPorts, decide, type ForcedOutcome } from './decide.ts'
import { accountWith, advertiser, factsOf, leadWith, noon, productWith, submission } from './facts.fixture.ts'
import { rules } from './rules/index.ts'
import type { Facts } from './rules/rule.ts'

const consentMetadata = { ip_address: '203.0.113.7', collected_at: '2026-06-15T09:30:00Z' }
const checks = rules.map(({ check }) => check)

/** Facts that fail the check at this index and every check after it; all checks if there is no index. */
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

describe('checking a lead', () => {
  it.each(rules.map(({ check }, index) => [check, index] as const))(
    'rejects by %s a lead that fails it and every later rule [2.12/rejection_reason]',
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

  it("checks the specification's reasons in this order, each with a hint for what to change", () => {
    const specified = [
      ['product', 'invalid_product', 'semantic', 'Submit a product_id of the account.'],
      [
        'consents',
        'consents_missing',
        'semantic',
        'Send consents.entries of the types terms and privacy_policy, each with accepted: true and none with accepted: false.',
      ],
      ['product_active', 'invalid_product', 'without_lead', 'Submit an active product.'],
      ['blacklist', 'blacklisted', 'with_lead', "Remove the customer from the account's blacklist."],
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
        "Wait until the duplicate window ends, or advance the tenant's clock.",
      ],
      [
        'fraud',
        'fraud_suspected',
        'with_lead',
        "Send consents.metadata.ip_address from outside the product's fraud_ip_ranges.",
      ],
      ['age', 'age_restriction', 'with_lead', 'Send a birthday that makes the customer 18 to 75 years old.'],
      ['income', 'income_insufficient', 'with_lead', 'Send a monthly_income of at least 600.'],
      ['geography', 'geographic_restriction', 'with_lead', 'Send an address.country among ES.'],
      ['eligibility', 'eligibility_failed', 'with_lead', "Change loan_amount to meet the product's criteria."],
    ]
    const judged = rules.map(({ check, reason, kind }, index) => {
      const { trace } = admit(brokenFrom(index))
      return [check, reason, kind, trace.find(step => step.check === check)?.hint]
    })
    expect(judged.filter(([check]) => specified.some(([known]) => known === check))).toEqual(specified)
    for (const [, , , hint] of judged) expect(hint).toMatch(/^[A-Z].*\.$/)
  })

  it('passes the lead once every rule is satisfied', () => {
    const { rejectedBy, trace } = admit(brokenFrom(rules.length))
    expect(rejectedBy).toBeUndefined()
    expect(trace.every(({ verdict }) => verdict === 'passed')).toBe(true)
  })

  it('shows what each check compared, with a hint only for the one that rejects', () => {
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

/** A network in which only these advertisers accept; it records the advertisers that were asked. */
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

describe('deciding on a lead', () => {
  it('offers the lead by priority, until the first advertiser accepts [3/distributed]', async () => {
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

  it('offers the lead to every advertiser if all that accept get it, and redirects to the first that accepted [3/distributed]', async () => {
    const { network, asked } = networkOf('Advertiser 2', 'Advertiser 3')
    const decision = await decide(factsOf({ account: account('all_accepting') }), { network, newLeadId })
    expect(asked).toEqual(['Advertiser 1', 'Advertiser 2', 'Advertiser 3'])
    expect(decision).toMatchObject({ status: 'distributed', redirect_url: 'https://advertiser.test/2/the-lead' })
    expect(decision).toMatchObject({
      deliveries: [{ decision: 'declined' }, { decision: 'accepted' }, { decision: 'accepted' }],
    })
  })

  it.each(['first_accept', 'all_accepting'] as const)(
    'makes a lead that no advertiser accepts new, under %s [3/new]',
    async way => {
      const { network, asked } = networkOf()
      const decision = await decide(factsOf({ account: account(way) }), { network, newLeadId })
      expect(asked).toHaveLength(3)
      expect(decision).toMatchObject({ status: 'new', lead_id: 'the-lead' })
      expect(decision).not.toHaveProperty('redirect_url')
    },
  )

  it('makes a lead new if there are no advertisers [3/new]', async () => {
    const { network } = networkOf()
    expect(await decide(factsOf(), { network, newLeadId })).toMatchObject({ status: 'new', deliveries: [] })
  })

  it('offers a rejected lead to no advertiser [3/rejected]', async () => {
    const { network, asked } = networkOf('Advertiser 1')
    const lead = leadWith(body => {
      body.customer.address = { country: 'PT' }
    })
    const decision = await decide(factsOf({ lead, account: account('first_accept') }), { network, newLeadId })
    expect(asked).toEqual([])
    expect(decision).toMatchObject({ status: 'rejected', reason: 'geographic_restriction', lead_id: 'the-lead' })
  })

  it('draws no id for a rejection that stores no lead [2.12/lead_id]', async () => {
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

  it('shows in the trace that nobody accepts it, without values for rules that compare none', async () => {
    const { network } = networkOf()
    const { trace } = await decide(factsOf({ account: account('first_accept') }), { network, newLeadId })
    expect(trace.at(-1)).toMatchObject({
      check: 'distribution',
      verdict: 'passed',
      hint: 'No advertiser accepts the lead, so it stays new.',
    })
    for (const step of trace) expect(Object.values(step)).not.toContain(undefined)
  })

  it('makes every advertiser accept a lead with a forced distribution', async () => {
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

  it('distinguishes advertisers with the same name in the trace', async () => {
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

  it("shows each advertiser's response in the trace", async () => {
    const { network } = networkOf('Advertiser 2')
    const { trace } = await decide(factsOf({ account: account('first_accept') }), { network, newLeadId })
    expect(trace.at(-1)).toEqual({
      check: 'distribution',
      verdict: 'passed',
      input: { 'Advertiser 1': 'declined: not today', 'Advertiser 2': 'accepted' },
    })
  })
})

/** Accepts leads that are forced, and no others. */
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
  it.each(['new', 'distributed'] as const)('makes a lead %s despite rules that reject it', async outcome => {
    const decision = await decide(factsOf({ account: withAdvertiser, lead: poor }), ports, forcing(outcome))
    expect(decision).toMatchObject({ status: outcome, lead_id: 'the-lead', forced_by: 'a_name' })
    expect(decision.trace).toContainEqual({ check: 'scenario', verdict: 'forced', input: 'a_name' })
  })

  it.each(rejectionReasons)('rejects a valid lead with %s, as a business rejection', async reason => {
    const decision = await decide(factsOf({ account: withAdvertiser }), ports, forcing(reason))
    const withLead = rules.some(rule => rule.reason === reason && rule.kind === 'with_lead')
    const kind = withLead ? 'with_lead' : 'without_lead'
    expect(decision).toMatchObject({ status: 'rejected', reason, kind, forced: true, forced_by: 'a_name' })
    expect('lead_id' in decision).toBe(withLead)
  })

  it.each(['new', 'distributed'] as const)(
    'draws no id for a %s lead if another lead owns the address',
    async outcome => {
      const newLeadId = () => {
        throw new Error('An id was drawn.')
      }
      const facts = factsOf({ account: withAdvertiser, customer: { lead_id: 'taken' } })
      const decision = await decide(facts, { network, newLeadId }, forcing(outcome))
      expect(decision).toMatchObject({ reason: 'customer_already_exists', forced_by: 'a_name' })
      expect(decision.trace.at(-1)).toEqual({ check: 'claim', verdict: 'rejected' })
    },
  )

  it('can prevent any decision', async () => {
    const decision = await decide(factsOf({ account: withAdvertiser }), ports, forcing('undecided'))
    expect(decision).toMatchObject({ status: 'undecided', forced_by: 'a_name' })
    expect(decision).not.toHaveProperty('lead_id')
  })

  it('leaves the decision to the rules if it names no outcome', async () => {
    expect(await decide(factsOf({ account: withAdvertiser }), ports, forcing())).toMatchObject({
      status: 'new',
      forced_by: 'a_name',
    })
    expect(await decide(factsOf({ account: withAdvertiser, lead: poor }), ports, forcing())).toMatchObject({
      reason: 'income_insufficient',
      forced_by: 'a_name',
    })
  })

  it('keeps every check exactly once in every trace, skipped if not reached', async () => {
    const checks = async (outcome?: ForcedOutcome['outcome']) =>
      (await decide(factsOf({ account: withAdvertiser }), ports, forcing(outcome))).trace.map(({ check }) => check)
    const whole = ['shape', 'publisher', ...rules.map(({ check }) => check), 'distribution', 'claim']
    whole.splice(4, 0, 'scenario')
    expect(await checks('undecided')).toEqual(whole)
    expect(await checks('blacklisted')).toEqual(whole)
    // The claim is made, and added to the trace, when the decision is stored.
    for (const outcome of ['new', 'distributed', undefined] as const)
      expect(await checks(outcome)).toEqual(whole.slice(0, -1))
  })

  it('is not looked up if a semantic rule rejects', async () => {
    const find = () => Promise.reject(new Error('The forced outcome was looked up.'))
    const rejected = await decide(factsOf({ account: withAdvertiser, product: undefined }), ports, find)
    expect(rejected).toMatchObject({ reason: 'invalid_product', kind: 'semantic' })
  })
})
