import { describe, expect, it } from 'vitest'
import { proseInterpretation } from '../interpretation.ts'
import { defaultCountry } from './address.ts'
import { requiredConsents } from './consents.ts'
import { defaultAreaCode } from './contact.ts'
import { defaultCurrency } from './financial-instrument.ts'
import { at, fullLead, leadWith } from './full-lead.fixture.ts'
import { leadSubmission } from './lead-submission.shape.ts'
import { defaultNacionality } from './personal-data.ts'
import { defaultChildren } from './profile.ts'

const shape = leadSubmission(proseInterpretation)
const filledAt = (path: string) => at(path, shape.parse(leadWith(path, undefined)))

describe('what is filled in where a field is missing', () => {
  it.each([
    ['customer.personal_data.nacionality', defaultNacionality, 'ES', '8/nacionality'],
    ['customer.address.country', defaultCountry, 'ES', '8/country'],
    ['customer.contact.phone.area_code', defaultAreaCode, '+34', '8/area_code'],
    ['customer.financial_instruments.0.currency', defaultCurrency, 'EUR', '8/currency'],
    ['customer.profile.children', defaultChildren, 0, '8/children'],
  ])('%s: %j [$3]', (path, exported, expected, _id) => {
    expect([exported, filledAt(path)]).toEqual([expected, expected])
  })

  it('keeps what is there, also what is empty or zero', () => {
    expect(at('customer.profile.children', shape.parse(leadWith('customer.profile.children', 0)))).toBe(0)
    expect(at('customer.address.country', shape.parse(leadWith('customer.address.country', '')))).toBe('')
  })

  it('fills nothing into a part that is missing as a whole', () => {
    const { address: _address, profile: _profile, financial_instruments: _instruments, ...customer } = fullLead.customer
    const lead = shape.parse({ ...fullLead, customer: { ...customer, contact: { email: customer.contact.email } } })
    expect(lead.customer).toEqual({ ...customer, contact: { email: customer.contact.email } })
  })
})

it('names the consents that are required [8/required_accepted_consents]', () => {
  expect(requiredConsents).toEqual(['terms', 'privacy_policy'])
})
