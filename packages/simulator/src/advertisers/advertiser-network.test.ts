import { proseInterpretation } from '@lead-distribution/contract'
import { type Advertiser, createLeadReader } from '@lead-distribution/engine'
import { describe, expect, it } from 'vitest'
import { createAdvertiserNetwork } from './advertiser-network.ts'

const consent = (type: string) => ({ type, accepted: true, accepted_at: '2026-06-15T09:30:00Z', version: '1' })
const offer = (data: object = {}, monthly_income?: number) => {
  const { lead } = createLeadReader()(
    {
      product_id: '20000000-0000-4000-8000-00000000000a',
      publisher_id: '10000000-0000-4000-8000-00000000000b',
      customer: {
        personal_data: { first_name: 'Ana', last_name: 'Prueba' },
        contact: { email: { address: 'ana@example.com' } },
        ...(monthly_income === undefined ? {} : { profile: { occupation: 'other', monthly_income } }),
      },
      product_data: { loan_amount: 5000, loan_purpose: 'wedding', loan_term_months: 24, ...data },
      consents: { entries: [consent('terms'), consent('privacy_policy')] },
    },
    proseInterpretation,
  )
  if (!lead) throw new Error('The body of the test is no lead.')
  return { lead_id: 'the-lead', lead }
}
const advertiser: Advertiser = {
  advertiser_id: 'the-advertiser',
  name: 'Advertiser',
  priority: 1,
  postback_secret: 'secret',
  criteria: {
    loan_amount: { min: 1000, max: 9000 },
    loan_term_months: { min: 12, max: 36 },
    loan_purposes_excluded: ['business'],
    minimum_monthly_income: 1200,
  },
}
const network = createAdvertiserNetwork((lead, advertiser) => `http://127.0.0.1/${lead}/${advertiser}`)

describe('a simulated advertiser', () => {
  it('accepts what meets its criteria, and says where it wants the customer', async () => {
    expect(await network.offer(advertiser, offer())).toEqual({
      decision: 'accepted',
      redirect_url: 'http://127.0.0.1/the-lead/the-advertiser',
    })
  })

  it.each([
    ['amount', { loan_amount: 1000 }, { loan_amount: 999 }],
    ['amount', { loan_amount: 9000 }, { loan_amount: 9001 }],
    ['term', { loan_term_months: 12 }, { loan_term_months: 11 }],
    ['term', { loan_term_months: 36 }, { loan_term_months: 37 }],
    ['purpose', { loan_purpose: 'other' }, { loan_purpose: 'business' }],
  ])('turns at the ends of its band, by %s: takes %j, declines %j', async (_title, taken, declined) => {
    expect((await network.offer(advertiser, offer(taken))).decision).toBe('accepted')
    expect((await network.offer(advertiser, offer(declined))).decision).toBe('declined')
  })

  it('asks for an income only where one is stated', async () => {
    expect((await network.offer(advertiser, offer({}, 1200))).decision).toBe('accepted')
    expect((await network.offer(advertiser, offer({}, 1199))).decision).toBe('declined')
  })

  it('gives every reason it declines for', async () => {
    const reply = await network.offer(
      advertiser,
      offer({ loan_amount: 500, loan_term_months: 84, loan_purpose: 'business' }, 1),
    )
    expect(reply).toMatchObject({ decision: 'declined', reasons: { length: 4 } })
  })
})
