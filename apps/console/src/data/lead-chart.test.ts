import { expect, it } from 'vitest'
import type { JournalEntry, Lead } from './entries.ts'
import { stepsOf } from './lead-chart.ts'

const at = '2026-01-01T10:00:00.000Z'
const after = '2026-01-01T11:00:00.000Z'

const lead: Lead = {
  lead_id: 'l',
  product_id: 'p',
  status: 'distributed',
  email: 'ana@example.com',
  loan_amount: 5_000,
  loan_term_months: 12,
  advertisers: [],
  received_at: at,
  submission: { customer: { contact: { phone: '+34600000000' } } },
  trace: [],
  deliveries: [
    { advertiser_id: 'a', name: 'Alba', decision: 'accepted', reasons: [], backend: { at, status: 500, ms: 7 } },
    { advertiser_id: 'b', name: 'Banco Bueno', decision: 'declined', reasons: ['full'] },
  ],
  events: [{ event: 'approved', reported_as: 'approved', via: 'pixel', advertiser_id: 'a', recorded_at: after }],
  callbacks: [
    {
      callback_id: 'c',
      lead_id: 'l',
      event: 'loan_issued',
      url: 'http://127.0.0.1/?key=secret',
      state: 'pending',
      attempts: [{ at: after, error: 'connect ECONNREFUSED', ms: 3 }],
      next_attempt_at: '2026-01-01T12:00:00.000Z',
    },
  ],
}

const entry = (fields: Partial<JournalEntry>): JournalEntry => ({
  request_id: 'r1',
  at,
  operation: 'submitLead',
  method: 'POST',
  path: '/api/v1/lead',
  status: 200,
  ms: 8,
  outcome: 'distributed',
  warnings: [],
  ...fields,
})

it('gives each step its lane, its outcome and its cause', () => {
  const entries = [entry({ ms: 2 }), entry({ status: 0, broken: 'withheld' })]
  const steps = stepsOf(lead, entries)
  expect(steps.map(({ lane, label, note, tone }) => [lane, label, note, tone])).toEqual([
    ['publisher', 'Submitted', 'response lost · 8 ms', 'bad'],
    ['publisher', 'Submitted again', '200 · 2 ms', 'info'],
    ['service', 'Distributed', undefined, 'good'],
    ['advertiser', 'Alba', 'accepted', 'good'],
    ['advertiser', 'Back end of Alba', '500 · 7 ms', 'bad'],
    ['advertiser', 'Banco Bueno', 'declined', 'plain'],
    ['advertiser', 'Reports approved', undefined, 'info'],
    ['receiver', 'loan_issued', 'no response · 3 ms', 'bad'],
    ['receiver', 'loan_issued', 'due', 'warn'],
  ])
  const keys = new Set(steps.map(({ key }) => key))
  expect(keys.size).toBe(steps.length)
  const causes = steps.flatMap(({ cause }) => cause ?? [])
  expect(causes).toHaveLength(5)
  expect(causes.filter(cause => !keys.has(cause))).toEqual([])
})

it('shows a submission that the journal dropped as a moment, and a rejection with its reason', () => {
  const [submitted, decided] = stepsOf({ ...lead, status: 'rejected', rejection_reason: 'age_restriction' }, [])
  expect([submitted?.label, submitted?.ms, decided?.label, decided?.note]).toEqual([
    ...['Submitted', 0],
    ...['Rejected', 'age restriction'],
  ])
})

it('contains no personal data, addresses or keys', () => {
  expect(JSON.stringify(stepsOf(lead, [entry({})]))).not.toMatch(/ana@|\+34|secret|127\.0/)
})
