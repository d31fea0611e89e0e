import { pixelEvents } from '@lead-distribution/contract'
import { fieldIssues, statusUpdate } from '@lead-distribution/contract/shapes'
import { describe, expect, it } from 'vitest'
import { ValidationError } from './index.ts'
import { reportBody } from './report.ts'

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
  { status: 'approved', metadata: [] },
  { status: 'approved', metadata: { amount: '5000', term_months: 1.5 } },
  { status: 'approved', metadata: { amount: Number.NaN, term_months: '12' } },
  { status: 'approved', metadata: { amount: 0.5, term_months: -1 } },
]

const body = (report: unknown) => reportBody(lead_id, report as never, pixelEvents)

function issuesOf(report: unknown) {
  try {
    body(report)
  } catch (error) {
    if (ValidationError.is(error)) return error.issues
  }
  return []
}

const issuesOfService = (report: unknown) =>
  fieldIssues(statusUpdate('known').safeParse(report).error?.issues ?? [], report)

it.each(reports)('reports the same fields for %o as the service', report => {
  expect(issuesOf(report).map(issue => issue.field)).toEqual(issuesOfService(report).map(issue => issue.field))
})

it('reports the same issues as the service, except for the status names', () => {
  const report = { status: 'yacht', metadata: { amount: '1', term_months: 1.5 } }
  expect(issuesOf(report)).toEqual([
    { field: 'status', issue: 'must be one of converted, registration, approved, rejected, completed, defaulted' },
    ...issuesOfService(report).slice(1),
  ])
})

describe('the JSON of a report', () => {
  const circle: { self?: unknown } = {}
  circle.self = circle

  const later = (value: unknown) => {
    let asked = 0
    return Object.defineProperty({}, 'amount', { enumerable: true, get: () => (asked++ === 0 ? 5 : value) })
  }
  class Secretive {
    toJSON() {
      return JSON.parse('hunter2')
    }
  }

  it('is sent unchanged', () => {
    const report = { status: 'approved', advertiser_id: undefined, metadata: { amount: 5000, term_months: undefined } }
    expect(body(report)).toBe('{"status":"approved","metadata":{"amount":5000}}')
  })

  it.each<[string, unknown]>([
    ['a bigint', later(5n)],
    ['a cycle', later(circle)],
    [
      'a getter that throws',
      Object.defineProperty({}, 'amount', { enumerable: true, get: () => JSON.parse('hunter2') }),
    ],
    ['a toJSON that throws', new Secretive()],
  ])('is rejected if a value cannot be represented, without the original error: %s', (_name, metadata) => {
    const issues = [{ field: 'body', issue: 'must be JSON-serializable' }]
    const refused = expect.objectContaining({
      code: 'validation',
      issues,
      message: expect.not.stringContaining('hunter2'),
    })
    expect(() => body({ status: 'approved', metadata })).toThrow(refused)
  })

  it('is rejected by field if it differs from the report', () => {
    const flips = { status: 'approved', metadata: later('x') }
    for (const [report, field] of [
      [flips, 'metadata.amount'],
      [{ status: 'approved', metadata: new Date() }, 'metadata'],
      [{ status: 'approved', metadata: { amount: 5n } }, 'metadata.amount'],
    ])
      expect(() => body(report)).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ field })] }))
  })
})
