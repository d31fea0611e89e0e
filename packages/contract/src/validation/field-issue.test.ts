import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { fieldIssues } from '../error-shapes.ts'
import type { FieldIssue } from '../interfaces.generated.ts'
import { fullLead } from '../lead/lead.fixture.ts'
import { leadSubmission } from '../lead/lead.ts'
import { checkLead } from '../lead/lead-check.ts'
import { proseInterpretation } from '../lead/limits.ts'
import { eventReport, statusUpdate } from '../status.ts'
import { issueAt } from './field-issue.ts'

/** The issues of an input against a shape. */
function issuesOf(shape: z.ZodMiniType, input: unknown): FieldIssue[] {
  const { success, error } = shape.safeParse(input)
  return success ? [] : fieldIssues(error.issues, input)
}

/** Returns the issue of one invalid field, or undefined, on which both checks of a lead must agree. */
function issueOf(path: string, value: unknown): string | undefined {
  const body = structuredClone(fullLead)
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  const parent = keys.reduce<unknown>((at, key) => Reflect.get(at as object, key), body)
  Reflect.set(parent as object, last, value)
  const [issue, ...more] = issuesOf(leadSubmission(proseInterpretation), body)
  expect(checkLead(body, proseInterpretation)).toEqual(issue ? [issue] : [])
  expect([issue?.field ?? path, more]).toEqual([path, []])
  return issue?.issue
}

describe('the issue of a field says what its value must be', () => {
  it.each([
    ['product_id', undefined, 'is required'],
    ['product_id', 7, 'must be a string'],
    ['product_id', 'x', 'must be a UUID, such as 3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'],
    ['customer', 'x', 'must be an object'],
    ['customer', [], 'must be an object'],
    ['customer.personal_data.first_name', '', 'must not be empty'],
    ['customer.personal_data.birthday', '2023-02-30', 'must be an existing date, as YYYY-MM-DD'],
    ['customer.personal_data.gender', 'x', 'must be one of male, female, other'],
    ['customer.contact.email.address', 'x', 'must be an e-mail address, without spaces around it'],
    [
      'customer.contact.email.verified_at',
      '2026-01-31T09:30:00',
      'must be a date-time with a time zone, such as 2026-01-31T09:30:00Z',
    ],
    ['customer.financial_instruments', {}, 'must be an array'],
    ['customer.financial_instruments', Array(101).fill({}), 'must contain at most 100 items'],
    ['product_data.loan_amount', '5000', 'must be a number'],
    ['product_data.loan_amount', 5000.5, 'must be an integer'],
    ['product_data.loan_amount', 499, 'must be at least 500'],
    ['product_data.loan_amount', 75_001, 'must be at most 75000'],
    ['product_data.loan_term_months', 2, 'must be at least 3'],
    ['product_data.loan_term_months', 85, 'must be at most 84'],
    ['consents.entries.0.accepted', 'true', 'must be a boolean'],
    ['consents.metadata.ip_address', '203.0.113', 'must be an IPv4 address, such as 203.0.113.7'],
    ['tracking.source', 'x', 'must be an absolute URL, such as https://example.com/loans'],
  ])('%s as %j', (path, value, issue) => expect(issueOf(path, value)).toBe(issue))

  it('names the body as a whole if its type is wrong', () => {
    expect(checkLead('x', proseInterpretation)).toEqual([{ field: 'body', issue: 'must be an object' }])
    expect(checkLead(undefined, proseInterpretation)).toEqual([{ field: 'body', issue: 'is required' }])
  })

  it("also applies to an advertiser's reports", () => {
    expect(issuesOf(eventReport, { token: 't', event: 'converted', ref: 'x'.repeat(256) })).toEqual([
      { field: 'event', issue: expect.stringMatching(/^must be one of registration, approved, /) },
      { field: 'ref', issue: 'must be at most 255 characters long' },
    ])
    expect(issuesOf(statusUpdate('known'), { status: 'sold', metadata: { term_months: 1.5 } })).toEqual([
      { field: 'status', issue: expect.stringMatching(/^must be one of converted, registration, /) },
      { field: 'metadata.term_months', issue: 'must be an integer' },
    ])
    expect(issuesOf(statusUpdate('any'), { status: '' })).toEqual([{ field: 'status', issue: 'must not be empty' }])
  })
})

it('names unknown fields if only known ones are accepted', () => {
  expect(issuesOf(z.strictObject({}), { a: 1, b: 2 })).toEqual([
    { field: 'a', issue: 'is unknown: check its spelling, or remove it' },
    { field: 'b', issue: 'is unknown: check its spelling, or remove it' },
  ])
})

it('reports a field once, with its first issue', () => {
  expect(issuesOf(z.object({ name: z.string().check(z.minLength(1)) }), { name: [] })).toEqual([
    { field: 'name', issue: 'must be a string' },
  ])
})

it('names a list item by its position', () => {
  expect(issuesOf(z.object({ list: z.array(z.int()) }), { list: [1, 'x'] })).toEqual([
    { field: 'list.1', issue: 'must be a number' },
  ])
})

it('reads fields from the body itself, not from its prototype', () => {
  expect(issuesOf(z.object({ toString: z.string() }), {})).toEqual([{ field: 'toString', issue: 'is required' }])
})

it('reports missing fields inside null', () => {
  expect(issueAt(['customer', 'contact'], 'is wrong', { customer: null })).toEqual({
    field: 'customer.contact',
    issue: 'is required',
  })
})
