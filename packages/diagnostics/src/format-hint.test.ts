import { type FieldDescription, proseInterpretation, type TextFormat } from '@lead-distribution/contract'
import { describeShape, leadSubmission } from '@lead-distribution/contract/shapes'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatHint, uuidHint } from './format-hint.ts'

const formats = new Map<string, TextFormat>()
const collect = ({ format, items, fields = {} }: FieldDescription) => {
  if (format) formats.set(format.name, format)
  if (items) collect(items)
  for (const field of Object.values(fields)) collect(field)
}
collect(describeShape(leadSubmission(proseInterpretation)))
const unheardOf: TextFormat = { name: 'unheard-of', fits: () => false }
const hint = (text: string, format: string) => formatHint(text, formats.get(format) ?? unheardOf)

describe('the hint for a text that misses its format', () => {
  it.each([
    ['date', '31/12/1987', 'is written with the year first: 31/01/1990 is 1990-01-31.'],
    ['date', '1.2.1987', 'is written with the year first: 31/01/1990 is 1990-01-31.'],
    ['date', '1987/12/3', 'is written with hyphens and two digits each: 1990/1/31 is 1990-01-31.'],
    ['date', '19871203', 'is written with hyphens and two digits each: 1990/1/31 is 1990-01-31.'],
    ['date', '1987-12-03T00:00:00Z', 'is a day without a time: 1990-01-31T00:00:00Z is 1990-01-31.'],
    ['date-time', '2025-12-03T10:00:00', 'has no zone: add Z for UTC or an offset, as in 2026-01-31T09:30:00Z.'],
    ['date-time', '2025-12-03 10:00:00Z', /^has a space/],
    ['date-time', '2025-12-03 10:00:00', /^has a space/],
    ['date-time', '2025-12-03T10:00Z', /^has no seconds/],
    ['date-time', '2025-12-03', /^is only a day/],
    ['date-time', '1764756000', /^is a timestamp/],
    ['email', ' ana@example.com', 'has spaces: take them away.'],
    ['email', 'ana @example.com', 'has spaces: take them away.'],
    ['email', 'mailto:ana@example.com', /^begins with mailto/],
    ['email', 'Ana Prueba <ana@example.com>', /^has a name/],
    ['email', 'ana@example,com', /^has a comma/],
    ['uri', 'www.example.com/loans', /write https:\/\/ before it/],
    ['uri', 'https://example.com/my loans', /^has spaces/],
    ['ipv4', '203.0.113.7 ', /^has spaces/],
    ['ipv4', '203.0.113.7:443', /without a port/],
    ['ipv4', '2001:db8::1', /IPv6 is not accepted/],
    ['uuid', '{3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11}', /^is the bare UUID/],
    ['uuid', 'urn:uuid:3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11', /^is the bare UUID/],
    ['uuid', '3f2b8c1e5d1a4c559a702b7d0f6f1c11', /hyphens/],
    ['uuid', '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11 ', /^has spaces/],
  ])('%s, %s', (format, text, expected) => {
    const matching = typeof expected === 'string' ? expected : expect.stringMatching(expected)
    expect(hint(text, format)).toEqual(matching)
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
  ])('is none for the %s %s', (format, text) => {
    expect(hint(text, format)).toBeUndefined()
  })

  it('holds nothing of the text', async () => {
    const names = fc.constantFrom(...formats.keys())
    await fc.assert(
      fc.property(names, fc.stringMatching(/^[0-9]{4,12}[@./ -][a-z]{6,9}$/), (format, text) => {
        expect(hint(text, format) ?? '').not.toContain(text)
      }),
    )
  })

  it('is there for a UUID without the table of formats', () => {
    const written = '{3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11}'
    expect([uuidHint(written), uuidHint('7')]).toEqual([hint(written, 'uuid'), undefined])
  })

  it('knows every format of a lead', () => {
    expect([...formats.keys()].sort()).toEqual(['date', 'date-time', 'email', 'ipv4', 'uri', 'uuid'])
  })
})
