import { describe, expect, it } from 'vitest'
import { factsOf } from '../facts.fixture.ts'
import { customerAlreadyExists } from './customer-already-exists.ts'

describe('customer_already_exists', () => {
  it('refuses an address that a lead has [2.12/customer_already_exists]', () => {
    const lead_id = '40000000-0000-4000-8000-000000000001'
    expect(customerAlreadyExists.judge(factsOf({ customer: { lead_id } }))).toMatchObject({
      passes: false,
      input: lead_id,
    })
  })

  it.each([
    ['is not known', undefined],
    ['was refused before', { refused_at: 1 }],
  ])('passes an address that %s [2.12/customer_already_exists]', (_title, customer) => {
    expect(customerAlreadyExists.judge(factsOf({ customer })).passes).toBe(true)
  })
})
