import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loanPurposes, occupationTypes } from '../index.ts'
import { closest, namedWithin, textDistance } from './closest-name.ts'

const fields = ['loan_amount', 'loan_purpose', 'loan_term_months']

describe('the closest name', () => {
  it.each([
    ['loan_term_month', 'loan_term_months'],
    ['loanTermMonths', 'loan_term_months'],
    ['LOAN-TERM-MONTHS', 'loan_term_months'],
    ['loan_amuont', 'loan_amount'],
    ['amount', 'loan_amount'],
    ['term months', 'loan_term_months'],
  ])('%s resembles %s', (given, meant) => {
    expect(closest(given, fields)).toBe(meant)
  })

  it.each(['loan', 'email', '', 'a', 'x'.repeat(5_000)])('%s resembles none of them', given => {
    expect(closest(given, fields)).toBeUndefined()
  })

  it('tolerates more typos in longer names', () => {
    expect([closest('otq', ['otp']), closest('cty', ['city']), closest('cyyt', ['city'])]).toEqual([
      undefined,
      'city',
      undefined,
    ])
    expect([closest('addres', ['address']), closest('adresz', ['address'])]).toEqual(['address', undefined])
  })

  it.each([
    ['brithdya', 'birthday'],
    ['bxrxhxay', undefined],
    ['pxofxssixnal', 'professional'],
    ['pxofxssixnxl', undefined],
  ])('tolerates two typos from eight letters, and three from twelve: %s', (given, meant) => {
    expect(closest(given, ['birthday', 'professional'])).toBe(meant)
  })

  it.each([
    ['cities', ['city', 'city_name'], 'city'],
    ['birth_cities', ['birth_city', 'birth_city_name'], 'birth_city'],
    ['expenses', ['monthly_expense'], 'monthly_expense'],
    ['ids', ['id'], undefined],
  ])('matches the plural %s with the singular, unless it is short', (given, known, meant) => {
    expect(closest(given, known)).toBe(meant)
  })

  it('ignores punctuation and stray short words', () => {
    expect(closest('amount?', fields)).toBe('loan_amount')
    expect(closest('day', ['day_of_month'])).toBeUndefined()
  })

  it('is searched for in at most 64 characters', () => {
    expect([64, 65].map(length => closest('X'.repeat(length), ['x'.repeat(length)]))).toEqual([
      'x'.repeat(64),
      undefined,
    ])
    expect([64, 65].map(length => namedWithin('terms'.padEnd(length, '_'), ['terms']))).toEqual(['terms', undefined])
  })

  it('is undefined if two are equally close', () => {
    expect(closest('emale', ['male', 'female'])).toBeUndefined()
    expect(closest('femal', ['male', 'female'])).toBe('female')
  })

  it.each([
    ['weddings', 'wedding'],
    ['Wedding', 'wedding'],
    ['home improvement', 'home_improvement'],
    ['unforeseen_cost', 'unforeseen_costs'],
  ])('the purpose %s resembles %s', (given, meant) => {
    expect(closest(given, loanPurposes)).toBe(meant)
  })

  it.each([...loanPurposes, ...occupationTypes])('%s is closest to itself', word => {
    expect(closest(word, loanPurposes.includes(word as never) ? loanPurposes : occupationTypes)).toBe(word)
  })
})

describe('a name within a longer text', () => {
  it('is found by its words', () => {
    expect(namedWithin('terms_and_conditions', ['terms', 'privacy_policy'])).toBe('terms')
    expect(namedWithin('PrivacyPolicyV2', ['terms', 'privacy_policy'])).toBe('privacy_policy')
    expect(namedWithin('my_ip_address', ['ip_address'])).toBe('ip_address')
  })

  it('is not found if the text contains two names, or only part of one', () => {
    expect(namedWithin('terms_and_privacy_policy', ['terms', 'privacy_policy'])).toBeUndefined()
    expect(namedWithin('privacy', ['privacy_policy'])).toBeUndefined()
  })
})

it.each([
  ['wedding', 'wedding', 0],
  ['wedding', 'weding', 1],
  ['wedding', 'weddings', 1],
  ['wedding', 'wexding', 1],
  ['wedding', 'wedidng', 1],
  ['wedding', 'edwding', 2],
  ['', 'abc', 3],
  ['ab', 'ba', 1],
  ['ab', 'cd', 2],
  ['ab', 'bc', 2],
  ['ab', 'ca', 2],
])('the distance from %s to %s is %d', (a, b, distance) => {
  expect(textDistance(a, b)).toBe(distance)
})

it('a distance is symmetric, zero only between equal texts, and at most the longer length', async () => {
  const text = fc.string({ maxLength: 12 })
  await fc.assert(
    fc.property(text, text, (a, b) => {
      const distance = textDistance(a, b)
      expect(textDistance(b, a)).toBe(distance)
      expect(distance === 0).toBe(a === b)
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length))
    }),
  )
})

it('a swap of two adjacent characters is a distance of one', async () => {
  await fc.assert(
    fc.property(fc.string(), fc.string(), (head, tail) => {
      expect(textDistance(`${head}ab${tail}`, `${head}ba${tail}`)).toBe(1)
    }),
  )
})
