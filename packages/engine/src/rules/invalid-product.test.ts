import { describe, expect, it } from 'vitest'
import { factsOf, productWith } from '../facts.fixture.ts'
import { productInactive, productUnknown } from './invalid-product.ts'

describe('invalid_product', () => {
  it('refuses a product that the account has not, as a matter of the data [2.12/invalid_product]', () => {
    expect(productUnknown.judge(factsOf({ product: undefined })).passes).toBe(false)
    expect(productUnknown.judge(factsOf()).passes).toBe(true)
    expect(productUnknown.refusal).toBe('semantic')
  })

  it('refuses a product that is switched off, as a business rejection without a lead [2.12/invalid_product]', () => {
    expect(productInactive.judge(factsOf({ product: { ...productWith(), active: false } })).passes).toBe(false)
    expect(productInactive.judge(factsOf()).passes).toBe(true)
    expect(productInactive.refusal).toBe('without_lead')
  })
})
