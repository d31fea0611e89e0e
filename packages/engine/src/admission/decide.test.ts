import { describe, expect, it } from 'vitest'
import type { AdvertiserNetwork } from '../distribution/distribute.ts'
import { accountWith, advertiser, factsOf, leadWith } from '../facts.fixture.ts'
import { decide } from './decide.ts'

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

  it('asks no advertiser for a lead that a rule refuses [3/rejected]', async () => {
    const { network, asked } = networkOf('Advertiser 1')
    const lead = leadWith(body => {
      body.customer.address = { country: 'PT' }
    })
    const decision = await decide(factsOf({ lead, account: account('first_accept') }), { network, newLeadId })
    expect(asked).toEqual([])
    expect(decision).toMatchObject({ status: 'rejected', reason: 'geographic_restriction', lead_id: 'the-lead' })
  })

  it('draws no id for a refusal that keeps no lead [2.12/lead_id]', async () => {
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

  it('notes the answer of each of two advertisers of one name', async () => {
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

  it('notes the answer of each advertiser in the trace', async () => {
    const { network } = networkOf('Advertiser 2')
    const { trace } = await decide(factsOf({ account: account('first_accept') }), { network, newLeadId })
    expect(trace.at(-1)).toEqual({
      check: 'distribution',
      verdict: 'passed',
      input: { 'Advertiser 1': 'declined: not today', 'Advertiser 2': 'accepted' },
    })
  })
})
