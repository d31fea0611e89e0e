import { rejections } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { factsOf, leadWith, productWith } from '../facts.fixture.ts'
import { consentsMissing } from './consents-missing.ts'
import { invalidProduct, unknownProduct } from './invalid-product.ts'

describe('invalid_product', () => {
  it('rejects a product that the account does not have, as wrong data [2.12/invalid_product]', () => {
    expect(unknownProduct(factsOf({ product: undefined })).passes).toBe(false)
    expect(unknownProduct(factsOf()).passes).toBe(true)
    expect(rejections.unknownProduct.kind).toBe('semantic')
  })

  it('rejects a product that is switched off, as a business rejection without a lead [2.12/invalid_product]', () => {
    expect(invalidProduct(factsOf({ product: { ...productWith(), active: false } })).passes).toBe(false)
    expect(invalidProduct(factsOf()).passes).toBe(true)
    expect(rejections.invalidProduct.kind).toBe('without_lead')
  })
})

describe('consents_missing', () => {
  const judge = (...given: [type: string, accepted: boolean][]) => {
    const lead = leadWith(body => {
      body.consents.entries = given.map(([type, accepted]) => ({
        type,
        accepted,
        accepted_at: accepted ? '2026-06-15T09:30:00Z' : null,
        version: '1',
      }))
    })
    return consentsMissing(factsOf({ lead }))
  }
  const [terms, privacy] = ['terms', 'privacy_policy'] as const

  it.each([
    [
      'both accepted',
      [
        [terms, true],
        [privacy, true],
      ],
      true,
    ],
    [
      'both accepted and marketing declined',
      [
        [terms, true],
        [privacy, true],
        ['marketing', false],
      ],
      true,
    ],
    [
      'both accepted in the other order',
      [
        [privacy, true],
        [terms, true],
      ],
      true,
    ],
    [
      'terms declined',
      [
        [terms, false],
        [privacy, true],
      ],
      false,
    ],
    [
      'the privacy policy declined',
      [
        [terms, true],
        [privacy, false],
      ],
      false,
    ],
    [
      'both declined',
      [
        [terms, false],
        [privacy, false],
      ],
      false,
    ],
    ['no terms', [[privacy, true]], false],
    ['no privacy policy', [[terms, true]], false],
    ['only marketing', [['marketing', true]], false],
    ['no entries', [], false],
    [
      'terms accepted in another letter case',
      [
        ['Terms', true],
        [privacy, true],
      ],
      false,
    ],
    [
      'terms declined once and accepted once',
      [
        [terms, false],
        [terms, true],
        [privacy, true],
      ],
      true,
    ],
  ] as [string, [string, boolean][], boolean][])(
    'with %s, passes: %s [2.12/consents_missing]',
    (_title, given, passes) => {
      expect(judge(...given).passes).toBe(passes)
    },
  )
})
