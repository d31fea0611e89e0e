import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { errorResponse, fieldIssues } from './error-shapes.ts'
import * as kind from './field-kinds.fixture.ts'
import { eventReply, eventReport, statusReply, statusUpdate } from './status.ts'

const lead_id = '7d9b0a52-6c1e-4a0f-8b39-5a4c7e2f9d10'
const vocabulary = ['converted', 'registration', 'approved', 'rejected', 'completed', 'defaulted'].concat([
  'loan_issued',
  'loan_rejected',
  'loan_paid',
  'loan_defaulted',
])
const pixelNames = vocabulary.filter(name => name !== 'converted')
const enumWords = ['registration', 'approved', 'rejected', 'completed', 'defaulted']
const ref: kind.FieldKind = { right: ['', 'r', 'x'.repeat(255)], wrong: ['x'.repeat(256), 5, [], {}] }

const update = { status: 'converted', advertiser_id: lead_id, metadata: { amount: 5000, term_months: 24 } }
const report = { token: 'abc', event: 'approved', ref: 'r-1' }
const received = { lead_id, event: 'approved', status: 'received' }
const known = statusUpdate('known')
const failure = { error: 'validation_error', message: 'Correct it.', details: [{ field: 'a.b', issue: 'is required' }] }

type Shape = { safeParse(value: unknown): z.core.util.SafeParseResult<unknown> }
const row = (id: string, shape: Shape, whole: object, path: string, of: kind.FieldKind, required: boolean) => ({
  id,
  shape,
  whole,
  path,
  of,
  required,
  title: `${path} [${id}]`,
})

const rows = [
  row('4.2/status', known, update, 'status', kind.oneOf(vocabulary), true),
  row('4.2/advertiser_id', known, update, 'advertiser_id', kind.uuid, false),
  row('4.2/metadata', known, update, 'metadata', kind.object, false),
  row('4.2/metadata.amount', known, update, 'metadata.amount', kind.number, false),
  row('4.2/metadata.term_months', known, update, 'metadata.term_months', kind.integer, false),
  row('4.2/reply.lead_id', statusReply, { lead_id, status: 'converted' }, 'lead_id', kind.uuid, true),
  row('4.2/reply.status', statusReply, { lead_id, status: 'converted' }, 'status', kind.text, true),
  row('4.3/token', eventReport, report, 'token', kind.filledText, true),
  row('4.3/event', eventReport, report, 'event', kind.oneOf(pixelNames), true),
  row('4.3/ref', eventReport, report, 'ref', ref, false),
  row('4.3/reply.lead_id', eventReply, received, 'lead_id', kind.uuid, true),
  row('4.3/reply.event', eventReply, received, 'event', kind.oneOf(enumWords), true),
  row('4.3/reply.status', eventReply, received, 'status', kind.oneOf(['received', 'ignored']), true),
  row('2.13/error', errorResponse, failure, 'error', kind.text, true),
  row('2.13/message', errorResponse, failure, 'message', kind.text, true),
  row('2.13/details', errorResponse, failure, 'details', kind.array, false),
  row('2.13/details.field', errorResponse, failure, 'details.0.field', kind.text, true),
  row('2.13/details.issue', errorResponse, failure, 'details.0.issue', kind.text, true),
]

function fieldsRefused({ shape, whole, path }: (typeof rows)[number], value: unknown): string[] {
  const body = structuredClone(whole)
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  const parent = keys.reduce((at: object, key) => Reflect.get(at, key), body)
  if (value === undefined) Reflect.deleteProperty(parent, last)
  else Reflect.set(parent, last, value)
  const result = shape.safeParse(body)
  return result.success ? [] : fieldIssues(result.error.issues, body).map(({ field }) => field)
}

describe.each(rows)('$title', each => {
  it('accepts valid values', () => {
    const given = each.path.split('.').reduce<object>((at, key) => Reflect.get(at, key), each.whole)
    for (const value of [given, ...each.of.right]) expect(fieldsRefused(each, value), JSON.stringify(value)).toEqual([])
  })

  it('refuses null and other values, and names the field', () => {
    for (const value of [null, ...each.of.wrong])
      expect(fieldsRefused(each, value), JSON.stringify(value)).toEqual([each.path])
  })

  it(each.required ? 'is required' : 'may be missing', () => {
    expect(fieldsRefused(each, undefined)).toEqual(each.required ? [each.path] : [])
  })
})

it('accepts any non-empty status if any is allowed', () => {
  const any = z.compile(statusUpdate('any'))
  expect(any.safeParse({ status: 'signed_by_hand' }).success).toBe(true)
  expect(any.safeParse({ status: '' }).success).toBe(false)
})
