import { proseInterpretation } from '@lead-distribution/contract'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Field, fieldTree } from './field-tree.ts'
import { accountOfNewTenant, leadFor } from './near-misses.fixture.ts'
import { createNearMissFinder, mostNearMisses } from './near-misses.ts'

const account = await accountOfNewTenant()
const find = createNearMissFinder()
const told = (more: object) => find(leadFor(account, more), account).map(({ check, message }) => `${check}: ${message}`)
const customer = (more: object) => ({
  customer: {
    personal_data: { first_name: 'Ana', last_name: 'Prueba' },
    contact: { email: { address: 'ana@example.com' } },
    ...more,
  },
})

describe('a field that is unknown', () => {
  it('is held against the known ones at its place', () => {
    const product_data = { loan_amount: 5000, loan_purpose: 'wedding', loan_term_month: 24 }
    expect(told({ product_data })).toEqual([
      'shape: `product_data.loan_term_month` is unknown, did you mean `loan_term_months`?',
    ])
  })

  it('is told of where the lead is accepted too: the service ignores it', () => {
    const personal_data = { first_name: 'Ana', last_name: 'Prueba', nationality: 'PT' }
    expect(told(customer({ personal_data }))).toEqual([
      'shape: `customer.personal_data.nationality` is unknown, did you mean `nacionality`?',
    ])
  })

  it('is followed as the one that it was meant for', () => {
    const { product_data: _, ...lead } = leadFor(account)
    const misses = find({ ...lead, productData: { loanAmount: '5000' } }, account)
    expect(misses.map(({ field, message }) => [field, message])).toEqual([
      ['productData', '`productData` is unknown, did you mean `product_data`?'],
      ['productData.loanAmount', '`productData.loanAmount` is unknown, did you mean `loan_amount`?'],
      ['productData.loanAmount', '`productData.loanAmount` is a number: send 5000 without quotes.'],
    ])
  })

  it.each([
    [{ email: 'ana@example.com' }, '`customer.email` is unknown here, did you mean `customer.contact.email.address`?'],
    [
      { monthlyIncome: 900 },
      '`customer.monthlyIncome` is unknown here, did you mean `customer.profile.monthly_income`?',
    ],
    [
      { source: 'web' },
      '`customer.source` is unknown here, did you mean `customer.contact.email.source` or `customer.contact.phone.source` or `tracking.source`?',
    ],
  ])('is looked for at other places: %j', (more, message) => {
    expect(told(customer(more))).toEqual([`shape: ${message}`])
  })

  it('is passed over where what it resembles is there already, and where it resembles nothing', () => {
    const product_data = { loan_amount: 5000, loan_purpose: 'wedding', loan_term_months: 24, loan_amounts: 1 }
    expect(told({ product_data, crm: 1, __proto__: { loan: 1 } })).toEqual([])
  })

  it('is not repeated where it is no name', () => {
    const product_data = { 'loan_term_month\u001b[2J': 24, 'loan.term.months': 24, 'loan_amount<b>': 1 }
    expect(told({ product_data })).toEqual([])
  })
})

describe('a submission that holds no near miss', () => {
  it('has no hints, under any reading', async () => {
    for (const profile of ['prose', 'formal'] as const) {
      const read = await accountOfNewTenant({ profile })
      expect(find(leadFor(read), read)).toEqual([])
    }
  })

  it.each([null, 7, 'lead', [], true])('and no body at all: %j', body => {
    expect(find(body, account).every(({ field }) => field === 'body')).toBe(true)
  })
})

describe('what a hint repeats', () => {
  const personal = [
    'ana.prueba@example.com',
    'Ana Prueba',
    '+34 600 000 000',
    '600000000',
    '00000000T',
    'sandbox_pub_x_y',
  ]

  /** A body that carries a text at every place, whatever belongs there. */
  const filledWith = (field: Field, text: unknown): unknown => {
    if (field.type === 'array') return [field.items && filledWith(field.items, text)]
    if (field.type !== 'object') return text
    return Object.fromEntries([...field.fields].map(([name, child]) => [name, filledWith(child, text)]))
  }

  it('is no value of the customer, in whichever field it stands', () => {
    const root = fieldTree(proseInterpretation)
    for (const text of [...personal, 600_000_000, 600_000_000.5]) {
      const misses = JSON.stringify([find(filledWith(root, text), account), find(filledWith(root, [text]), account)])
      for (const each of personal) expect(misses).not.toContain(each)
    }
  })

  it('is no name of a field that is a value', () => {
    const asNames = Object.fromEntries(personal.map(text => [text, text]))
    expect(told({ ...asNames, ...customer(asNames), tracking: asNames })).toEqual([])
  })
})

describe('the bounds', () => {
  it(`end the list at ${mostNearMisses} hints, those of ids and consents first`, () => {
    const entries = Array.from({ length: 500 }, () => ({ typ: 'terms' }))
    const misses = find(
      leadFor(account, { consents: { entries }, product_id: account.publisher.publisher_id }),
      account,
    )
    expect([misses.length, misses[0]?.check]).toEqual([mostNearMisses, 'product'])
    const few = entries.slice(0, mostNearMisses - 1)
    expect(find(leadFor(account, { consents: { entries: few } }), account)).toHaveLength(mostNearMisses - 1)
  })

  it('end the search in a body of very many fields, before it comes to what stands behind them', () => {
    const crowd = (size: number) => Object.fromEntries(Array.from({ length: size }, (_, index) => [`extra${index}`, 1]))
    const afterCrowd = (size: number) => find({ ...crowd(size), productId: 'x' }, account).map(({ field }) => field)
    expect([afterCrowd(1_000), afterCrowd(20_000)]).toEqual([['productId'], []])
  })

  it('hold for a body of any form', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.jsonValue(), (value, other) => {
        const misses = find(
          leadFor(account, { customer: value, consents: { entries: other }, tracking: other }),
          account,
        )
        expect(misses.length).toBeLessThanOrEqual(mostNearMisses)
      }),
    )
  })
})
