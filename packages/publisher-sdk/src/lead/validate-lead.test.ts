import { proseInterpretation } from '@lead-distribution/contract'
import { fieldIssues, leadSubmission } from '@lead-distribution/contract/shapes'
import { describe, expect, it } from 'vitest'
import { sampleLead } from '../submit/leads.fixture.ts'
import { createPublisher } from '../submit/publisher.ts'
import { validateLead } from './validate-lead.ts'

const broken = () => {
  const lead = sampleLead()
  lead.product_data.loan_amount = 499
  lead.consents.entries[1] = { type: 'privacy_policy', accepted: true, accepted_at: null, version: '1' }
  return { ...lead, customer: { ...lead.customer, contact: {} } }
}

it('returns a valid lead unchanged, without filling in defaults', () => {
  const lead = sampleLead()
  expect(validateLead(lead)).toEqual({ valid: true, lead: sampleLead() })
  expect(validateLead(lead).lead).toBe(lead)
})

it('returns the same issues as the service', () => {
  const service = leadSubmission(proseInterpretation).safeParse(broken())
  expect(validateLead(broken()).issues).toEqual(fieldIssues(service.error?.issues ?? [], broken()))
  expect(validateLead(broken()).issues?.map(issue => issue.field)).toEqual([
    'customer.contact.email',
    'product_data.loan_amount',
    'consents.entries.1.accepted_at',
  ])
})

it.each([undefined, null, 'lead', [], 7])('refuses %o without throwing', input => {
  expect(validateLead(input)).toMatchObject({ valid: false, issues: [{ field: 'body' }] })
})

it('returns the same issues that `submit` throws', async () => {
  const publisher = createPublisher({ baseUrl: 'http://127.0.0.1:9', apiKey: 'sandbox_key', maxRetries: 0 })
  for (const input of [broken(), undefined, { ...sampleLead(), product_id: 1n }])
    await expect(publisher.submit(input as never)).rejects.toMatchObject({ issues: validateLead(input).issues })
})

it('accepts a lead without the fields about which the specification is ambiguous', () => {
  const { gender, ...personal_data } = sampleLead().customer.personal_data
  const { metadata, ...consents } = sampleLead().consents
  const lead = { ...sampleLead(), customer: { ...sampleLead().customer, personal_data }, consents }
  expect([gender, metadata, validateLead(lead).valid]).toEqual([undefined, undefined, true])
})

describe('as a Standard Schema', () => {
  const { '~standard': standard } = validateLead

  it('states its version and its vendor', () => {
    expect(standard).toMatchObject({ version: 1, vendor: 'lead-distribution' })
  })

  it('returns the value, or issues whose paths have numbers for array positions', () => {
    expect(standard.validate(sampleLead())).toEqual({ value: sampleLead() })
    const { issues } = standard.validate(broken())
    expect(issues?.map(issue => issue.path)).toContainEqual(['consents', 'entries', 1, 'accepted_at'])
    expect(standard.validate('x').issues).toEqual([{ message: 'must be an object', path: [] }])
  })
})

it('compiles no code, so that it runs under a strict content security policy', () => {
  const { Function: original } = globalThis
  globalThis.Function = function refuse() {
    throw new Error('compiled code')
  } as never
  try {
    expect(validateLead(sampleLead()).valid).toBe(true)
    expect(validateLead(broken()).valid).toBe(false)
  } finally {
    globalThis.Function = original
  }
})
