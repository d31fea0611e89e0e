import { knownStatuses } from '@lead-distribution/contract'
import { fieldIssues, statusUpdate } from '@lead-distribution/contract/shapes'
import { describe, expect, it } from 'vitest'
import { reportIssues } from './check-report.ts'
import { statusesOf } from './vocabulary.ts'

const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const reports: unknown[] = [
  {},
  { status: 'converted' },
  { status: 'yacht' },
  { status: '' },
  { status: 7 },
  { status: null },
  { status: 'approved', advertiser_id: lead_id, metadata: {} },
  { status: 'approved', advertiser_id: 'a' },
  { status: 'approved', advertiser_id: 7 },
  { status: 'approved', metadata: null },
  { status: 'approved', metadata: 'x' },
  { status: 'approved', metadata: { amount: '5000', term_months: 1.5 } },
  { status: 'approved', metadata: { amount: Number.NaN, term_months: '12' } },
  { status: 'approved', metadata: { amount: 0.5, term_months: -1 } },
]

describe.each(['known', 'any'] as const)('by the vocabulary %s', vocabulary => {
  it.each(reports)('finds in %o the fields that the service finds', report => {
    const service = fieldIssues(statusUpdate(vocabulary).safeParse(report).error?.issues ?? [], report)
    const ours = reportIssues(lead_id, report as never, statusesOf(vocabulary))
    expect(ours.map(issue => issue.field)).toEqual(service.map(issue => issue.field))
  })
})

it('says what is wrong in the words of the service', () => {
  const report = { status: 'yacht', metadata: { amount: '1', term_months: 1.5 } }
  const service = fieldIssues(statusUpdate('known').safeParse(report).error?.issues ?? [], report)
  expect(reportIssues(lead_id, report as never, knownStatuses)).toEqual(service)
})
