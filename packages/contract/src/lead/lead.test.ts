import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { fieldIssues } from '../error-shapes.ts'
import { uuid } from '../field-kinds.fixture.ts'
import type { FieldIssue } from '../interfaces.generated.ts'
import { rejectionReasons } from '../rejections.ts'
import { leadStatuses } from './enumerations.ts'
import { at, fullLead, leadFields, leadWith } from './lead.fixture.ts'
import { leadResponse, leadSubmission } from './lead.ts'
import {
  defaultAreaCode,
  defaultChildren,
  defaultCountry,
  defaultCurrency,
  defaultNacionality,
  formalInterpretation,
  proseInterpretation,
  requiredConsents,
} from './limits.ts'

const shape = leadSubmission(proseInterpretation)

type Shape = Pick<typeof shape, 'safeParse'>
const compiled = z.compile(shape)
const shapes: [string, Shape][] = [
  ['interpreted by zod', shape],
  ['compiled', compiled],
]

function issuesOf(of: Shape, body: unknown): FieldIssue[] {
  const result = of.safeParse(body)
  return result.success ? [] : fieldIssues(result.error.issues, body)
}

const title = (path: string, id: string) => `${path} [${id}]`

describe.each(shapes)('the shape of a lead, %s', (_name, lead) => {
  it('accepts a lead with every field, and leaves it unchanged', () => {
    expect(lead.safeParse(fullLead)).toEqual({ success: true, data: fullLead })
  })

  describe.each(leadFields.map(field => ({ ...field, title: title(field.path, field.id) })))('$title', field => {
    it('accepts valid values', () => {
      // Objects have no example values: uses the whole lead's.
      for (const value of [at(field.path, fullLead), ...field.kind.right]) {
        const result = lead.safeParse(leadWith(field.path, value))
        const kept =
          field.kind === uuid ? String(value).toLowerCase() : value === '' ? (filledAt(field.path) ?? '') : value
        expect(result.success && at(field.path, result.data), JSON.stringify(value)).toEqual(kept)
      }
    })

    it('refuses other values, and names the field', () => {
      for (const value of field.kind.wrong) {
        const issues = issuesOf(lead, leadWith(field.path, value))
        expect(
          issues.map(issue => issue.field),
          JSON.stringify(value),
        ).toEqual([field.path])
        expect(issues[0]?.issue, JSON.stringify(value)).toMatch(/^must /)
      }
    })

    it(field.nullable ? 'may be null' : 'may not be null', () => {
      const fields = issuesOf(lead, leadWith(field.path, null)).map(issue => issue.field)
      expect(fields).toEqual(field.nullable ? [] : [field.path])
    })

    it(field.required ? 'is required' : 'may be missing', () => {
      const body = leadWith(field.path, undefined)
      const refusal = { field: field.path, issue: 'is required' }
      expect(issuesOf(lead, body)).toEqual(field.required ? [refusal] : [])
      const result = lead.safeParse(body)
      if (!field.required) expect(result.success && at(field.path, result.data)).toEqual(field.filled)
    })
  })

  it.each([null, undefined, [], 'text', 5, true])('refuses the body %j', body => {
    expect(issuesOf(lead, body).map(issue => issue.field)).toEqual(['body'])
  })

  it('requires occupation and income in a profile [2.6/required]', () => {
    expect(issuesOf(lead, leadWith('customer.profile', {})).map(issue => issue.field)).toEqual([
      'customer.profile.occupation',
      'customer.profile.monthly_income',
    ])
  })

  it('accepts null as the time of a consent only if it was not accepted [2.9/entry.accepted_at]', () => {
    const consent = { type: 'marketing', version: '1', accepted_at: null }
    expect(issuesOf(lead, leadWith('consents.entries.1', { ...consent, accepted: false }))).toEqual([])
    const [issue, ...others] = issuesOf(lead, leadWith('consents.entries.1', { ...consent, accepted: true }))
    expect(issue?.field).toBe('consents.entries.1.accepted_at')
    expect(others).toEqual([])
  })

  it('accepts a consent that the publisher defines, and an address or an instrument without any field', () => {
    expect(issuesOf(lead, leadWith('consents.entries.0.type', 'credit_bureau_check'))).toEqual([])
    expect(issuesOf(lead, leadWith('customer.address', {}))).toEqual([])
    expect(issuesOf(lead, leadWith('customer.financial_instruments', [{}]))).toEqual([])
  })

  it('reports every issue at once, in nested fields too [2.13/details]', () => {
    const body = {
      product_id: 'x',
      customer: { personal_data: { first_name: '' }, contact: { email: { address: 'no' } } },
      product_data: { loan_amount: 1, loan_purpose: 'x', loan_term_months: '24' },
      consents: { entries: [{ type: 5, accepted: true, accepted_at: null }] },
    }
    expect(issuesOf(lead, body).map(issue => issue.field)).toEqual([
      'product_id',
      'publisher_id',
      'customer.personal_data.first_name',
      'customer.personal_data.last_name',
      'customer.contact.email.address',
      'product_data.loan_amount',
      'product_data.loan_purpose',
      'product_data.loan_term_months',
      'consents.entries.0.type',
      'consents.entries.0.version',
      'consents.entries.0.accepted_at',
    ])
  })

  it('drops unknown fields at every depth', () => {
    const body = { ...(leadWith('customer.hobby', 'chess') as object), vip: true }
    expect(lead.safeParse(body)).toEqual({ success: true, data: fullLead })
  })

  it('is not confused by property names of Object.prototype', () => {
    const body = JSON.parse(JSON.stringify(fullLead).replace('{', '{"__proto__":{"polluted":true},"constructor":5,'))
    const result = lead.safeParse(body)
    expect(result).toEqual({ success: true, data: fullLead })
    expect(Object.getPrototypeOf(result.success && result.data)).toBe(Object.prototype)
    expect('polluted' in {}).toBe(false)
  })

  it('does not read required fields from a prototype', () => {
    const { product_id, ...rest } = fullLead
    const body = JSON.parse(JSON.stringify(rest).replace('{', `{"__proto__":{"product_id":"${product_id}"},`))
    expect(issuesOf(lead, body)).toEqual([{ field: 'product_id', issue: 'is required' }])
  })
})

describe('the formal interpretation', () => {
  const formal = leadSubmission(formalInterpretation)

  it('accepts a lead with every field', () => {
    expect(formal.safeParse(fullLead)).toEqual({ success: true, data: fullLead })
  })

  it.each([
    ['customer.personal_data.gender', '2.3/gender'],
    ['consents.metadata', '2.9/metadata'],
  ])('requires %s [%s]', path => {
    expect(issuesOf(formal, leadWith(path, undefined))).toEqual([{ field: path, issue: 'is required' }])
  })
})
const filledAt = (path: string) => at(path, shape.parse(leadWith(path, undefined)))

describe('the default of a missing field', () => {
  it.each([
    ['customer.personal_data.nacionality', defaultNacionality, 'ES', '8/nacionality'],
    ['customer.address.country', defaultCountry, 'ES', '8/country'],
    ['customer.contact.phone.area_code', defaultAreaCode, '+34', '8/area_code'],
    ['customer.financial_instruments.0.currency', defaultCurrency, 'EUR', '8/currency'],
    ['customer.profile.children', defaultChildren, 0, '8/children'],
  ])('%s: %j [$3]', (path, exported, expected, _id) => {
    expect([exported, filledAt(path)]).toEqual([expected, expected])
  })

  it('does not replace an existing value, not even zero', () => {
    expect(at('customer.profile.children', shape.parse(leadWith('customer.profile.children', 0)))).toBe(0)
    expect(at('customer.address.country', shape.parse(leadWith('customer.address.country', ' ')))).toBe(' ')
  })

  it('does not create a missing object', () => {
    const { address: _address, profile: _profile, financial_instruments: _instruments, ...customer } = fullLead.customer
    const lead = shape.parse({ ...fullLead, customer: { ...customer, contact: { email: customer.contact.email } } })
    expect(lead.customer).toEqual({ ...customer, contact: { email: customer.contact.email } })
  })
})

it('lists the required consents [8/required_accepted_consents]', () => {
  expect(requiredConsents).toEqual(['terms', 'privacy_policy'])
})

const lead_id = '7d9b0a52-6c1e-4a0f-8b39-5a4c7e2f9d10'
const takes = (reply: unknown) => leadResponse.safeParse(reply).success

describe('the response to a submission', () => {
  it('may omit the id or set it to null, and otherwise contains a UUID [2.12/lead_id]', () => {
    expect(takes({ status: 'new' })).toBe(true)
    expect(takes({ status: 'new', lead_id: null })).toBe(true)
    expect(takes({ status: 'new', lead_id })).toBe(true)
    expect(takes({ status: 'new', lead_id: 'lead-1' })).toBe(false)
  })

  it('always has one of three statuses [2.12/status]', () => {
    expect(leadStatuses.filter(status => takes({ status }))).toEqual(['new', 'distributed', 'rejected'])
    for (const status of [undefined, null, 'NEW', 'accepted', 5]) expect(takes({ status })).toBe(false)
  })

  it('may omit the redirect or set it to null, and otherwise contains an absolute URL [2.12/redirect_url]', () => {
    for (const redirect_url of [undefined, null, 'https://advertiser.example/apply?lead=1'])
      expect(takes({ status: 'distributed', redirect_url })).toBe(true)
    for (const redirect_url of ['', '/apply', 'advertiser.example', 5])
      expect(takes({ status: 'distributed', redirect_url })).toBe(false)
  })

  it('may omit the reason or set it to null, and otherwise contains a known one [2.12/rejection_reason]', () => {
    for (const rejection_reason of [undefined, null, ...rejectionReasons])
      expect(takes({ status: 'rejected', rejection_reason })).toBe(true)
    for (const rejection_reason of ['', 'too_young', 5])
      expect(takes({ status: 'rejected', rejection_reason })).toBe(false)
  })
})

const json = fc.jsonValue()

describe('the shape of a lead, on any input', () => {
  it('accepts its own output unchanged, with defaults filled in once', () => {
    const missing = fc.subarray(leadFields.filter(({ required }) => !required).map(({ path }) => path))
    fc.assert(
      fc.property(missing, paths => {
        const body = paths.reduceRight<unknown>((lead, path) => leadWith(path, undefined, lead), fullLead)
        const once = shape.parse(body)
        expect(shape.parse(once)).toEqual(once)
      }),
    )
  })

  it('accepts every lead under the prose interpretation that the formal one accepts', () => {
    const formal = leadSubmission(formalInterpretation)
    const path = fc.constantFrom(...leadFields.map(field => field.path))
    fc.assert(
      fc.property(path, fc.option(json, { nil: undefined }), (where, value) => {
        const body = leadWith(where, value)
        if (formal.safeParse(body).success) expect(shape.safeParse(body).success).toBe(true)
      }),
    )
  })

  it('never repeats a value in an issue, because it may be personal data', () => {
    const path = fc.constantFrom(...leadFields.map(field => field.path))
    fc.assert(
      fc.property(path, fc.uuid(), (where, secret) => {
        const body = leadWith(where, `<${secret}>`)
        const result = shape.safeParse(body)
        const issues = result.success ? [] : fieldIssues(result.error.issues, body)
        expect(JSON.stringify(issues)).not.toContain(secret)
      }),
    )
  })
})
