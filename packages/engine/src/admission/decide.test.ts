import { describe, expect, it } from 'vitest'
import { accountWith, advertiser, factsOf, leadWith } from '../facts.fixture.ts'
import type { AdvertiserPanel } from '../ports/advertiser-panel.ts'
import { decide } from './decide.ts'

/** A panel on which only these lenders accept; it notes who was asked. */
function panelOf(...accepting: string[]) {
  const asked: string[] = []
  const panel: AdvertiserPanel = {
    async offer({ name }, { lead_id }) {
      asked.push(name)
      return accepting.includes(name)
        ? { decision: 'accepted', redirect_url: `https://lender.test/${name.at(-1)}/${lead_id}` }
        : { decision: 'declined', reasons: ['not today'] }
    },
  }
  return { panel, asked }
}

const newLeadId = () => 'the-lead'

const account = (distribution: 'first_accept' | 'all_accepting') =>
  accountWith({ distribution }, { advertisers: [advertiser(3), advertiser(1), advertiser(2)] })

describe('deciding', () => {
  it('asks by priority, up to the first that accepts [3/distributed]', async () => {
    const { panel, asked } = panelOf('Lender 2', 'Lender 3')
    const decision = await decide(factsOf({ account: account('first_accept') }), { panel, newLeadId })
    expect(asked).toEqual(['Lender 1', 'Lender 2'])
    expect(decision).toMatchObject({
      status: 'distributed',
      lead_id: 'the-lead',
      redirect_url: 'https://lender.test/2/the-lead',
      deliveries: [
        { name: 'Lender 1', decision: 'declined', reasons: ['not today'] },
        { name: 'Lender 2', decision: 'accepted', reasons: [] },
      ],
    })
  })

  it('asks all of them where all that accept get the lead, and redirects to the first [3/distributed]', async () => {
    const { panel, asked } = panelOf('Lender 2', 'Lender 3')
    const decision = await decide(factsOf({ account: account('all_accepting') }), { panel, newLeadId })
    expect(asked).toEqual(['Lender 1', 'Lender 2', 'Lender 3'])
    expect(decision).toMatchObject({ status: 'distributed', redirect_url: 'https://lender.test/2/the-lead' })
    expect(decision).toMatchObject({
      deliveries: [{ decision: 'declined' }, { decision: 'accepted' }, { decision: 'accepted' }],
    })
  })

  it.each(['first_accept', 'all_accepting'] as const)(
    'makes a lead that nobody takes new, under %s [3/new]',
    async way => {
      const { panel, asked } = panelOf()
      const decision = await decide(factsOf({ account: account(way) }), { panel, newLeadId })
      expect(asked).toHaveLength(3)
      expect(decision).toMatchObject({ status: 'new', lead_id: 'the-lead' })
      expect(decision).not.toHaveProperty('redirect_url')
    },
  )

  it('makes a lead new where there is no advertiser at all [3/new]', async () => {
    const { panel } = panelOf()
    expect(await decide(factsOf(), { panel, newLeadId })).toMatchObject({ status: 'new', deliveries: [] })
  })

  it('asks nobody for a lead that a rule refuses [3/rejected]', async () => {
    const { panel, asked } = panelOf('Lender 1')
    const lead = leadWith(body => {
      body.customer.address = { country: 'PT' }
    })
    const decision = await decide(factsOf({ lead, account: account('first_accept') }), { panel, newLeadId })
    expect(asked).toEqual([])
    expect(decision).toMatchObject({ status: 'rejected', reason: 'geographic_restriction', lead_id: 'the-lead' })
  })

  it('draws no id for a refusal that keeps no lead [2.12/lead_id]', async () => {
    const { panel } = panelOf()
    const decision = await decide(factsOf({ customer: { lead_id: 'taken' } }), {
      panel,
      newLeadId: () => {
        throw new Error('An id was drawn.')
      },
    })
    expect(decision).toMatchObject({ status: 'rejected', reason: 'customer_already_exists' })
    expect(decision).not.toHaveProperty('lead_id')
  })

  it('notes what each of two advertisers of one name said', async () => {
    const { panel } = panelOf()
    const namesakes = [advertiser(1), { ...advertiser(2), name: advertiser(1).name }]
    const { trace } = await decide(factsOf({ account: accountWith({}, { advertisers: namesakes }) }), {
      panel,
      newLeadId,
    })
    expect(Object.keys(trace.at(-1)?.input as object)).toEqual(
      namesakes.map(({ name, advertiser_id }) => `${name} (${advertiser_id})`),
    )
  })

  it('notes in the trace what each advertiser said', async () => {
    const { panel } = panelOf('Lender 2')
    const { trace } = await decide(factsOf({ account: account('first_accept') }), { panel, newLeadId })
    expect(trace.at(-1)).toEqual({
      check: 'distribution',
      verdict: 'passed',
      input: { 'Lender 1': 'declined: not today', 'Lender 2': 'accepted' },
    })
  })
})
