import { describe, expect, it } from 'vitest'
import { factsOf, leadWith, productWith } from '../facts.fixture.ts'
import { fraudSuspected } from './fraud-suspected.ts'

const passes = (ip_address: string, fraud_ip_ranges: string[]) => {
  const lead = leadWith(body => {
    body.consents.metadata = { ip_address, collected_at: '2026-06-15T09:30:00Z' }
  })
  return fraudSuspected.judge(factsOf({ lead, product: productWith({ fraud_ip_ranges }) })).passes
}

describe('fraud_suspected', () => {
  it.each([
    ['192.0.1.255', true],
    ['192.0.2.0', false],
    ['192.0.2.255', false],
    ['192.0.3.0', true],
  ])('judges %s by the network 192.0.2.0/24: passes %s [2.12/fraud_suspected]', (address, expected) => {
    expect(passes(address, ['192.0.2.0/24'])).toBe(expected)
  })

  it('looks at every network of the product [2.12/fraud_suspected]', () => {
    expect(passes('198.51.100.7', ['192.0.2.0/24', '198.51.100.7/32'])).toBe(false)
    expect(passes('198.51.100.8', ['192.0.2.0/24', '198.51.100.7/32'])).toBe(true)
    expect(passes('192.0.2.1', [])).toBe(true)
  })

  it('passes a lead that says nothing of how consents were collected [2.9/metadata]', () => {
    expect(fraudSuspected.judge(factsOf())).toEqual({ passes: true, input: 'not stated' })
  })
})
