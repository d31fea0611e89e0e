import { proseInterpretation } from '@lead-distribution/contract'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeLead } from './account.fixture.ts'
import { type Field, fieldOf } from './fields.ts'
import { valueHint } from './value-hint.ts'

const root = fieldOf(describeLead(proseInterpretation))

function fieldAt(path: string): Field {
  const found = path
    .split('.')
    .reduce<Field | undefined>((field, name) => field?.items ?? field?.fields.get(name), root)
  return found ?? expect.fail(`${path} is no field.`)
}

const hint = (path: string, value: unknown) => valueHint(value, fieldAt(path))

describe('the hint for a value', () => {
  it.each([
    ['product_data.loan_amount', '5000', 'is a number: send 5000 without quotes.'],
    ['product_data.loan_amount', ' 5.000,00 € ', 'is a number: send 5000 without quotes.'],
    ['product_data.loan_amount', '5,000 EUR', 'is a number: send 5000 without quotes.'],
    ['product_data.loan_amount', 5000.5, 'is a whole number: send 5000 or 5001.'],
    ['product_data.loan_purpose', 'weddings', 'takes no such value, did you mean `wedding`?'],
    ['customer.profile.occupation', 'self-employed', 'takes no such value, did you mean `self_employed`?'],
    ['customer.contact.email.status', 'verified by link', 'takes no such value, did you mean `verified`?'],
    ['consents.entries.0.accepted', 'yes', 'is true or false: send true without quotes.'],
    ['consents.entries.0.accepted', 0, 'is true or false: send false without quotes.'],
    ['consents.entries.0.version', 3, 'is a text: send it in quotes.'],
    ['consents.entries.0.accepted_at', '2026-01-31', expect.stringMatching(/^is only a day/)],
    ['consents.metadata.collected_at', 1_764_756_000, expect.stringMatching(/^is a text and no timestamp/)],
    ['customer.personal_data.birthday', null, 'takes no null: leave it out.'],
    ['customer.contact.email', 'ana@example.com', 'is an object: send the value as its field `address`.'],
    ['customer.contact.phone', '600', expect.stringMatching(/^is an object with the fields: area_code, number/)],
    ['product_data', [{}], 'is one object and no list: take the brackets away.'],
    ['consents.entries', {}, expect.stringMatching(/^is a list/)],
  ])('%s = %j', (path, value, expected) => {
    expect(hint(path, value)).toEqual(expected)
  })

  it.each([
    ['product_data.loan_amount', 5000],
    ['product_data.loan_amount', 'much'],
    ['product_data.loan_purpose', 'wedding'],
    ['product_data.loan_purpose', 'spaceship'],
    ['product_data.loan_purpose', 7],
    ['consents.entries.0.accepted', 2],
    ['consents.entries.0.accepted_at', null],
    ['consents.entries.0.document_url', null],
    ['customer.personal_data.first_name', null],
    ['customer.personal_data.first_name', 'Ana'],
    ['customer.contact.phone', {}],
    ['customer.financial_instruments', []],
  ])('is none for %s = %j', (path, value) => {
    expect(hint(path, value)).toBeUndefined()
  })

  it('does not advise to leave out what the interpretation requires', () => {
    const gender = fieldOf(describeLead({ ...proseInterpretation, gender: 'required' }))
      .fields.get('customer')
      ?.fields.get('personal_data')
    expect(valueHint(null, gender?.fields.get('gender') ?? expect.fail('There is no gender.'))).toBeUndefined()
    expect(hint('customer.personal_data.gender', null)).toBe('takes no null: leave it out.')
  })

  it('repeats a number of up to six digits and no longer one, which may be a telephone in the wrong field', async () => {
    const path = 'customer.profile.children'
    await fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999 }), number => {
        expect(hint(path, String(number))).toContain(` ${number} `)
      }),
    )
    await fc.assert(
      fc.property(fc.integer({ min: 1_000_000, max: 2 ** 50 }), number => {
        expect(hint(path, `${number}`)).not.toMatch(/\d/)
        expect(hint(path, number + 0.5)).not.toMatch(/\d/)
      }),
    )
    expect(
      [hint(path, '999999'), hint(path, '1000000'), hint(path, 999_999.5)].map(text => /\d/.test(text ?? '')),
    ).toEqual([true, false, false])
  })
})
