import { rejections } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { factsOf, leadWith, productWith } from '../facts.fixture.ts'
import { consentsMissing } from './consents-missing.ts'
import { invalidProduct, unknownProduct } from './invalid-product.ts'

describe('invalid_product', () => {
  it('rejects a product that the account does not have, as invalid data [2.12/invalid_product]', () => {
    expect(unknownProduct(factsOf({ product: undefined })).passes).toBe(false)
    expect(unknownProduct(factsOf()).passes).toBe(true)
    expect(rejections.unknownProduct.kind).toBe('semantic')
  })

  it('rejects an inactive product, as a business rejection without a lead [2.12/invalid_product]', () => {
    expect(invalidProduct(factsOf({ product: { ...productWith(), active: false } })).passes).toBe(false)
    expect(invalidProduct(factsOf()).passes).toBe(true)
    expect(rejections.invalidProduct.kind).toBe('without_lead')
  })
})

describe('consents_missing', () => {
  /** Judges entries such as `+terms -marketing`: the first is accepted, the second declined. */
  const judge = (given: string) => {
    const lead = leadWith(body => {
      body.consents.entries = given.split(' ').map(text => {
        const accepted = text.startsWith('+')
        return { type: text.slice(1), accepted, accepted_at: accepted ? '2026-06-15T09:30:00Z' : null, version: '1' }
      })
    })
    return consentsMissing(factsOf({ lead }))
  }

  it.each([
    ['+terms +privacy_policy', true],
    ['+privacy_policy +terms', true],
    ['+terms +privacy_policy -marketing', true],
    ['+terms +terms +privacy_policy', true],
    ['-terms +terms +privacy_policy', false],
    ['+terms +privacy_policy -terms', false],
    ['+terms +privacy_policy -marketing +marketing', true],
    ['-terms +privacy_policy', false],
    ['+terms -privacy_policy', false],
    ['-terms -privacy_policy', false],
    ['+privacy_policy', false],
    ['+terms', false],
    ['+marketing', false],
    ['+Terms +privacy_policy', false],
  ])('with %s, passes: %s [2.12/consents_missing]', (given, passes) => {
    expect(judge(given).passes).toBe(passes)
  })

  it('rejects a lead without any entry [2.12/consents_missing]', () => {
    const lead = leadWith(body => {
      body.consents.entries = []
    })
    expect(consentsMissing(factsOf({ lead })).passes).toBe(false)
  })
})
