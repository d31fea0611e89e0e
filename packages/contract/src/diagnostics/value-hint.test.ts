import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FieldDescription, leadFields, proseInterpretation, type TextFormat } from '../index.ts'
import { formatHint, uuidHint, valueHint } from './value-hint.ts'

function fieldAt(path: string): FieldDescription {
  const found = path
    .split('.')
    .reduce<FieldDescription | undefined>((field, name) => field?.items ?? field?.fields?.[name], leadFields)
  return found ?? expect.fail(`${path} is not a field.`)
}

const hint = (path: string, value: unknown, interpretation = proseInterpretation) =>
  valueHint(value, fieldAt(path), interpretation)

describe('the hint for a value', () => {
  it.each([
    ['product_data.loan_amount', '5000', 'is a number: send 5000 without quotes.'],
    ['product_data.loan_amount', ' 5.000,00 € ', 'is a number: send 5000 without quotes.'],
    ['product_data.loan_amount', '5,000 EUR', 'is a number: send 5000 without quotes.'],
    ['product_data.loan_amount', 5000.5, 'is a whole number: send 5000 or 5001.'],
    ['product_data.loan_purpose', 'weddings', "doesn't accept this value, did you mean `wedding`?"],
    ['customer.profile.occupation', 'self-employed', "doesn't accept this value, did you mean `self_employed`?"],
    ['customer.contact.email.status', 'verified by link', "doesn't accept this value, did you mean `verified`?"],
    ['consents.entries.0.accepted', 'yes', 'is true or false: send true without quotes.'],
    ['consents.entries.0.accepted', 0, 'is true or false: send false without quotes.'],
    ['consents.entries.0.version', 3, 'is a string: send it in quotes.'],
    ['consents.entries.0.accepted_at', '2026-01-31', expect.stringMatching(/^is only a date/)],
    ['consents.metadata.collected_at', 1_764_756_000, expect.stringMatching(/^is a string, not a timestamp/)],
    ['customer.personal_data.birthday', null, "can't be null: leave it out."],
    ['customer.contact.email', 'ana@example.com', 'is an object: send the value as its field `address`.'],
    ['customer.contact.phone', '600', expect.stringMatching(/^is an object with the fields area_code, number/)],
    ['product_data', [{}], 'is an object, not a list: remove the brackets.'],
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
  ])('is undefined for %s = %j', (path, value) => {
    expect(hint(path, value)).toBeUndefined()
  })

  it('does not suggest omitting a field that the interpretation requires', () => {
    const required = { ...proseInterpretation, gender: 'required' } as const
    expect(hint('customer.personal_data.gender', null, required)).toBeUndefined()
    expect(hint('customer.personal_data.gender', null)).toBe("can't be null: leave it out.")
  })

  it('repeats a number of up to six digits, and no longer one, which may be a phone number in the wrong field', async () => {
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

const formats = new Map<string, TextFormat>()
const collect = ({ format, items, fields = {} }: FieldDescription) => {
  if (format) formats.set(format.name, format)
  if (items) collect(items)
  for (const field of Object.values(fields)) collect(field)
}
collect(leadFields)
const unheardOf: TextFormat = { name: 'unheard-of', fits: () => false }
const hintOf = (text: string, format: string) => formatHint(text, formats.get(format) ?? unheardOf)

describe('the hint for a text in the wrong format', () => {
  it.each([
    ['date', '31/12/1987', 'is written with the year first: 31/01/1990 is 1990-01-31.'],
    ['date', '1.2.1987', 'is written with the year first: 31/01/1990 is 1990-01-31.'],
    ['date', '1987/12/3', 'is written with hyphens and two digits each: 1990/1/31 is 1990-01-31.'],
    ['date', '19871203', 'is written with hyphens and two digits each: 1990/1/31 is 1990-01-31.'],
    ['date', '1987-12-03T00:00:00Z', 'is a date without a time: 1990-01-31T00:00:00Z is 1990-01-31.'],
    ['date-time', '2025-12-03T10:00:00', 'has no time zone: add Z for UTC or an offset, as in 2026-01-31T09:30:00Z.'],
    ['date-time', '2025-12-03 10:00:00Z', /^has a space/],
    ['date-time', '2025-12-03 10:00:00', /^has a space/],
    ['date-time', '2025-12-03T10:00Z', /^has no seconds/],
    ['date-time', '2025-12-03', /^is only a date/],
    ['date-time', '1764756000', /^is a timestamp/],
    ['email', ' ana@example.com', 'has spaces: remove them.'],
    ['email', 'ana @example.com', 'has spaces: remove them.'],
    ['email', 'mailto:ana@example.com', /^begins with mailto/],
    ['email', 'Ana Prueba <ana@example.com>', /^has a name/],
    ['email', 'ana@example,com', /^has a comma/],
    ['uri', 'www.example.com/loans', /put https:\/\/ in front of it/],
    ['uri', 'https://example.com/my loans', /^has spaces/],
    ['ipv4', '203.0.113.7 ', /^has spaces/],
    ['ipv4', '203.0.113.7:443', /without a port/],
    ['ipv4', '2001:db8::1', /IPv6 is not accepted/],
    ['uuid', '{3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11}', /^is a bare UUID/],
    ['uuid', 'urn:uuid:3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11', /^is a bare UUID/],
    ['uuid', '3f2b8c1e5d1a4c559a702b7d0f6f1c11', /hyphens/],
    ['uuid', '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11 ', /^has spaces/],
  ])('%s, %s', (format, text, expected) => {
    const matching = typeof expected === 'string' ? expected : expect.stringMatching(expected)
    expect(hintOf(text, format)).toEqual(matching)
  })

  it.each([
    ['date', '1987-12-03'],
    ['date', '2023-02-30'],
    ['date-time', '2025-12-03T10:00:00+01:00'],
    ['email', 'ana@example.com'],
    ['email', 'nobody'],
    ['uri', 'android-app://com.example'],
    ['ipv4', '203.0.113.7'],
    ['uuid', '3F2B8C1E-5D1A-4C55-9A70-2B7D0F6F1C11'],
    ['unheard-of', 'anything'],
  ])('is undefined for the %s %s', (format, text) => {
    expect(hintOf(text, format)).toBeUndefined()
  })

  it('repeats nothing of the text', async () => {
    const names = fc.constantFrom(...formats.keys())
    await fc.assert(
      fc.property(names, fc.stringMatching(/^[0-9]{4,12}[@./ -][a-z]{6,9}$/), (format, text) => {
        expect(hintOf(text, format) ?? '').not.toContain(text)
      }),
    )
  })

  it('works for a UUID without the table of formats', () => {
    const written = '{3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11}'
    expect([uuidHint(written), uuidHint('7')]).toEqual([hintOf(written, 'uuid'), undefined])
  })

  it('covers every format of a lead', () => {
    expect([...formats.keys()].sort()).toEqual(['date', 'date-time', 'email', 'ipv4', 'uri', 'uuid'])
  })
})
