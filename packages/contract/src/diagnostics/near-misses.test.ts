import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FieldDescription, formalInterpretation, leadFields, proseInterpretation } from '../index.ts'
import { account, leadWith } from './account.fixture.ts'
import { findNearMisses, maxNearMisses, withNearMisses } from './near-misses.ts'

const find = (body: unknown) => findNearMisses(body, { account })
const hints = (more: object) => find(leadWith(more)).map(({ check, message }) => `${check}: ${message}`)
const customer = (more: object) => ({
  customer: {
    personal_data: { first_name: 'Ana', last_name: 'Prueba' },
    contact: { email: { address: 'ana@example.com' } },
    ...more,
  },
})

describe('an unknown field', () => {
  it('is compared with the known fields in its place', () => {
    const product_data = { loan_amount: 5000, loan_purpose: 'wedding', loan_term_month: 24 }
    expect(hints({ product_data })).toEqual([
      'shape: `product_data.loan_term_month` is unknown, did you mean `loan_term_months`?',
    ])
  })

  it('is reported even in a valid lead, because the service ignores it', () => {
    const personal_data = { first_name: 'Ana', last_name: 'Prueba', nationality: 'PT' }
    expect(hints(customer({ personal_data }))).toEqual([
      'shape: `customer.personal_data.nationality` is unknown, did you mean `nacionality`?',
    ])
  })

  it('is followed as the field that it means', () => {
    const { product_data: _, ...lead } = leadWith()
    const misses = find({ ...lead, productData: { loanAmount: '5000' } })
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
  ])('is looked up in other places: %j', (more, message) => {
    expect(hints(customer(more))).toEqual([`shape: ${message}`])
  })

  it('is not reported if the similar field is present, or if no field is similar', () => {
    const product_data = { loan_amount: 5000, loan_purpose: 'wedding', loan_term_months: 24, loan_amounts: 1 }
    expect(hints({ product_data, crm: 1, __proto__: { loan: 1 } })).toEqual([])
  })

  it('is not repeated if it is not a valid name', () => {
    const product_data = { 'loan_term_month\u001b[2J': 24, 'loan.term.months': 24, 'loan_amount<b>': 1 }
    expect(hints({ product_data })).toEqual([])
  })
})

describe('a submission without near misses', () => {
  it.each([proseInterpretation, formalInterpretation])('has no hints under %o', interpretation => {
    expect(findNearMisses(leadWith(), { interpretation, account })).toEqual([])
  })

  it('has none for its ids without an account', () => {
    const body = leadWith({ product_id: 'x', publisher_id: 'x' })
    expect(findNearMisses(body).map(({ check }) => check)).toEqual([])
    expect(find(body)[0]?.check).toBe('product')
  })

  it.each([null, 7, 'lead', [], true])('does not fail on the body %j', body => {
    expect(find(body).every(({ field }) => field === 'body')).toBe(true)
  })
})

describe('a hint', () => {
  const personal = [
    'ana.prueba@example.com',
    'Ana Prueba',
    '+34 600 000 000',
    '600000000',
    '00000000T',
    'sandbox_pub_x_y',
  ]

  /** A body with the same text in every place, whatever belongs there. */
  const filledWith = (field: FieldDescription, text: unknown): unknown => {
    if (field.type === 'list') return [field.items && filledWith(field.items, text)]
    if (field.type !== 'object') return text
    return Object.fromEntries(
      Object.entries(field.fields ?? {}).map(([name, child]) => [name, filledWith(child, text)]),
    )
  }

  it("never repeats a customer's data, in any field", () => {
    for (const text of [...personal, 600_000_000, 600_000_000.5]) {
      const misses = JSON.stringify([find(filledWith(leadFields, text)), find(filledWith(leadFields, [text]))])
      for (const each of personal) expect(misses).not.toContain(each)
    }
  })

  it('never repeats a field name that is a value', () => {
    const asNames = Object.fromEntries(personal.map(text => [text, text]))
    expect(hints({ ...asNames, ...customer(asNames), tracking: asNames })).toEqual([])
  })
})

describe('the limits', () => {
  it(`cap the list at ${maxNearMisses} hints, with those of ids and consents first`, () => {
    const entries = Array.from({ length: 500 }, () => ({ typ: 'terms' }))
    const misses = find(leadWith({ consents: { entries }, product_id: account.publisher.publisher_id }))
    expect([misses.length, misses[0]?.check]).toEqual([maxNearMisses, 'product'])
    const few = entries.slice(0, maxNearMisses - 1)
    expect(find(leadWith({ consents: { entries: few } }))).toHaveLength(maxNearMisses - 1)
  })

  it('stop the search in a body with very many fields before the last ones', () => {
    const crowd = (size: number) => Object.fromEntries(Array.from({ length: size }, (_, index) => [`extra${index}`, 1]))
    const afterCrowd = (size: number) => find({ ...crowd(size), productId: 'x' }).map(({ field }) => field)
    expect([afterCrowd(1_000), afterCrowd(20_000)]).toEqual([['productId'], []])
  })

  it('hold for any body', async () => {
    await fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.jsonValue(), (value, other) => {
        const misses = find(leadWith({ customer: value, consents: { entries: other }, tracking: other }))
        expect(misses.length).toBeLessThanOrEqual(maxNearMisses)
      }),
    )
  })
})

const [active, inactive] = account.products.map(({ product_id }) => product_id)
const { publisher_id } = account.publisher
const advertiser = account.advertisers[0]
const products = `Personal loan (${active}), Discontinued loan (${inactive}, inactive)`
const mistyped = (id = '') => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`

describe('product_id', () => {
  it('names the owner of the id', () => {
    expect(hints({ product_id: publisher_id })).toEqual([
      'product: `product_id` is the id of the publisher.',
      `product: \`product_id\` is not one of the account's products: send one of ${products}.`,
    ])
    expect(hints({ product_id: advertiser?.advertiser_id.toUpperCase() })[0]).toBe(
      `product: \`product_id\` is the id of the advertiser ${advertiser?.name}.`,
    )
  })

  it('names the id that was meant', () => {
    expect(hints({ product_id: mistyped(active) })[0]).toBe(
      `product: \`product_id\` differs in one character from the id of the product Personal loan, ${active}.`,
    )
    expect(hints({ product_id: ` ${active}` })[0]).toContain('differs in spaces only')
  })

  it('lists the products if it resembles none', () => {
    expect(hints({ product_id: 'ffffffff-ffff-4fff-bfff-ffffffffffff' })).toEqual([
      `product: \`product_id\` is not one of the account's products: send one of ${products}.`,
    ])
  })

  it('names the active product if the product is inactive', () => {
    expect(hints({ product_id: inactive })).toEqual([
      `product_active: \`product_id\` is an inactive product: send one of Personal loan (${active}).`,
    ])
  })
})

describe('publisher_id', () => {
  it('names the owner of the id, and the id that was meant', () => {
    expect(hints({ publisher_id: advertiser?.advertiser_id })).toEqual([
      `publisher: \`publisher_id\` is the id of the advertiser ${advertiser?.name}: send ${publisher_id}, the publisher's id.`,
    ])
    expect(hints({ publisher_id: mistyped(publisher_id) })).toEqual([
      `publisher: \`publisher_id\` differs in one character from the id of the publisher, ${publisher_id}.`,
    ])
  })

  it('names both ids if they were swapped', () => {
    expect(hints({ publisher_id: active, product_id: publisher_id }).map(line => line.split(':')[0])).toEqual([
      'publisher',
      'product',
      'product',
    ])
  })
})

describe('the consents', () => {
  const entry = (type: string, accepted = true) => ({
    type,
    accepted,
    accepted_at: '2026-01-31T09:30:00Z',
    version: '1',
  })
  const entries = (...all: object[]) => hints({ consents: { entries: all } })

  it.each(['Terms', 'term', 'terms_and_conditions', 'TERMS'])('suggest terms for the similar %s', type => {
    expect(entries(entry(type), entry('privacy_policy'))).toEqual([
      'consents: `consents.entries.0.type` resembles a required consent, did you mean `terms`?',
    ])
  })

  it.each(['privacyPolicy', 'privacy', 'privacy-policy'])('suggest privacy_policy for the similar %s', type => {
    expect(entries(entry('terms'), entry('marketing'), entry(type))).toEqual([
      'consents: `consents.entries.2.type` resembles a required consent, did you mean `privacy_policy`?',
    ])
  })

  it('name the consent that was not accepted', () => {
    expect(entries(entry('terms', false), entry('privacy_policy'))).toEqual([
      'consents: `consents.entries.0.accepted` is false: the customer must accept the consent `terms`.',
    ])
  })

  it('name an entry that refuses what another one accepts', () => {
    const given = [entry('terms'), entry('terms', false), entry('privacy_policy')]
    expect(entries(...given)).toEqual([expect.stringContaining('`consents.entries.1.accepted` is false')])
  })

  it('have no hint if all are present, or if nothing is similar', () => {
    expect(entries(entry('terms'), entry('terms'), entry('privacy_policy'))).toEqual([])
    expect(entries(entry('marketing'), entry('newsletter'))).toEqual([])
    expect(entries()).toEqual([])
  })
})

describe('a trace', () => {
  it('shows each near miss at its check, after the existing hint', () => {
    const trace = [
      { check: 'shape', verdict: 'rejected', hint: 'a is required; b is required' },
      { check: 'publisher', verdict: 'skipped' },
      { check: 'product', verdict: 'rejected', hint: 'Send another.' },
    ] as const
    const miss = (check: 'shape' | 'publisher', message: string) => ({ check, field: 'x', message })
    expect(withNearMisses(trace, [miss('shape', 'One?'), miss('publisher', 'Two.'), miss('shape', 'Three.')])).toEqual([
      { check: 'shape', verdict: 'rejected', hint: 'a is required; b is required. One? Three.' },
      { check: 'publisher', verdict: 'skipped', hint: 'Two.' },
      trace[2],
    ])
  })
})
