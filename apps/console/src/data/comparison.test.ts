import { describe, expect, it } from 'vitest'
import { compareLeads, compareRequests } from './comparison.ts'
import type { Lead } from './entries.ts'

const lead: Lead = {
  lead_id: '11111111-0000-4000-8000-000000000000',
  product_id: '22222222-0000-4000-8000-000000000000',
  status: 'rejected',
  rejection_reason: 'age_restriction',
  email: 'ana@example.com',
  loan_amount: 5_000,
  loan_term_months: 12,
  advertisers: [],
  received_at: '2026-03-02T10:00:00.000Z',
  submission: { product_data: { loan_amount: 5_000 }, consents: [{ type: 'terms' }] },
  trace: [{ check: 'age', verdict: 'rejected', input: 17, threshold: 18 }],
  deliveries: [],
  events: [],
  callbacks: [],
}

const other: Lead = {
  ...lead,
  lead_id: '33333333-0000-4000-8000-000000000000',
  received_at: '2026-03-02T11:00:00.000Z',
}

/** Returns the differing fields of each part that has some. */
function differencesOf(comparisons: ReturnType<typeof compareLeads>) {
  return Object.fromEntries(
    comparisons.flatMap(({ title, different }) =>
      different.length > 0 ? [[title, different.map(({ name, a, b }) => [name, a, b])]] : [],
    ),
  )
}

describe('a comparison', () => {
  it('finds no difference between leads that differ only in ids and times', () => {
    const callbackOf = ({ lead_id }: Lead, callback_id: string) => ({
      callback_id,
      lead_id,
      event: 'approved',
      url: `http://127.0.0.1/callback?lead_id=${lead_id}`,
      state: 'delivered' as const,
      attempts: [],
    })
    const comparisons = compareLeads(
      { ...lead, callbacks: [callbackOf(lead, 'c1')] },
      { ...other, callbacks: [callbackOf(other, 'c2')] },
    )
    expect(differencesOf(comparisons)).toEqual({})
    expect(comparisons.find(({ title }) => title === 'Callbacks')?.equal).toHaveLength(1)
  })

  it('names each input field, check and advertiser that differs', () => {
    const accepted: Lead = {
      ...other,
      status: 'distributed',
      rejection_reason: undefined,
      submission: { product_data: { loan_amount: 6_000 }, consents: [{ type: 'terms' }] },
      trace: [{ check: 'age', verdict: 'passed', input: 30, threshold: 18 }],
      deliveries: [{ advertiser_id: 'a1', name: 'Acme', decision: 'accepted', reasons: [] }],
    }
    expect(differencesOf(compareLeads(lead, accepted))).toEqual({
      Outcome: [
        ['Status', 'Rejected', 'Distributed'],
        ['Reason', 'Age restriction', undefined],
      ],
      Input: [['product_data.loan_amount', '5000', '6000']],
      Checks: [['Age', 'Rejected · 17 · threshold: 18', 'Passed · 30 · threshold: 18']],
      Advertisers: [['Acme', undefined, 'Accepted']],
    })
  })

  it('distinguishes the second report of an event from the first', () => {
    const report = { event: 'approved', reported_as: 'approved', via: 'pixel' as const, advertiser_id: 'a1' }
    const recorded_at = lead.received_at
    const twice: Lead = {
      ...other,
      events: [
        { ...report, recorded_at },
        { ...report, reported_as: 'loan', recorded_at },
      ],
    }
    expect(differencesOf(compareLeads({ ...lead, events: [{ ...report, recorded_at }] }, twice))).toEqual({
      Events: [['Approved (2)', undefined, 'Postback URL · as loan']],
    })
  })

  it('compares everything that the journal stored about two requests', () => {
    const entry = {
      request_id: 'r1',
      at: lead.received_at,
      ms: 3,
      operation: 'submitLead' as const,
      method: 'POST',
      path: '/api/v1/lead',
      status: 422,
      outcome: 'invalid',
      issues: [{ field: 'a', issue: 'is missing' }],
      warnings: [],
    }
    const comparisons = compareRequests(entry, {
      ...entry,
      request_id: 'r2',
      ms: 4,
      issues: [{ field: 'b', issue: 'is missing' }],
    })
    expect(differencesOf(comparisons)).toEqual({ 'Request and response': [['issues.0.field', 'a', 'b']] })
  })
})
