import {
  formalInterpretation,
  type Interpretation,
  type LeadSubmission,
  proseInterpretation,
} from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { submission } from './facts.fixture.ts'
import { compileShape, createLeadReader } from './submit-lead.ts'

const readers = { interpreted: createLeadReader(), compiled: createLeadReader(compileShape) }
const metadata = { ip_address: '203.0.113.7', collected_at: '2026-06-15T09:30:00Z' }
const change = (edit: (body: LeadSubmission) => void) => {
  const body = submission()
  edit(body)
  return body
}
const complete = () =>
  change(body => {
    body.customer.personal_data.gender = 'female'
    body.consents.metadata = metadata
  })

describe.each(Object.entries(readers))('reading a lead with its shape %s', (_, read) => {
  const warningsOf = (body: unknown, interpretation: Interpretation) =>
    read(body, interpretation).warnings.map(warning => `${warning.switch}: ${warning.would}`)

  it('accepts a lead without gender and consent metadata under the prose [2.3/gender] [2.9/metadata]', () => {
    expect(read(submission(), proseInterpretation).lead).toBeDefined()
  })

  it('requires both under the formal schema [2.3/gender] [2.9/metadata]', () => {
    expect(read(submission(), formalInterpretation).issues).toEqual([
      { field: 'customer.personal_data.gender', issue: 'is required' },
      { field: 'consents.metadata', issue: 'is required' },
    ])
    expect(read(complete(), formalInterpretation).lead).toBeDefined()
  })

  it('warns if the formal schema would refuse the lead', () => {
    const would = 'validation_error'
    expect(warningsOf(submission(), proseInterpretation)).toEqual([`gender: ${would}`, `consent_metadata: ${would}`])
    expect(warningsOf(complete(), proseInterpretation)).toEqual([])
  })

  it('warns if the prose would accept the lead, and names exactly the missing field', () => {
    const withoutGender = change(body => {
      body.consents.metadata = metadata
    })
    const withoutMetadata = change(body => {
      body.customer.personal_data.gender = 'other'
    })
    expect(warningsOf(withoutGender, formalInterpretation)).toEqual(['gender: accept'])
    expect(warningsOf(withoutMetadata, formalInterpretation)).toEqual(['consent_metadata: accept'])
    expect(warningsOf(submission(), formalInterpretation)).toEqual(['gender: accept', 'consent_metadata: accept'])
  })

  it('does not warn if both interpretations refuse', () => {
    const body = change(wrong => {
      wrong.product_data.loan_amount = 1
    })
    expect(warningsOf(body, formalInterpretation)).toEqual([])
    expect(warningsOf(body, proseInterpretation)).toEqual([])
  })
})
