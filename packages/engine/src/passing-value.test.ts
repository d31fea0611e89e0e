import { loanAmountBounds, loanTermBounds, occupationTypes, type ProductCriteria } from '@lead-distribution/contract'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accountWith, leadWith, noon, productWith } from './facts.fixture.ts'
import { rules } from './rules/index.ts'
import { passingValue } from './submit-lead.ts'

const birthday = 'customer.personal_data.birthday'
const income = 'customer.profile.monthly_income'
const country = 'customer.address.country'
const amount = 'product_data.loan_amount'
const term = 'product_data.loan_term_months'
const occupation = 'customer.profile.occupation'

/** Values by the paths of their fields. */
type Values = Readonly<Record<string, unknown>>

/** A customer that passes every check. */
const usual = {
  [birthday]: '1990-05-17',
  [income]: 2000,
  [country]: 'ES',
  [amount]: 5000,
  [term]: 24,
  [occupation]: 'other',
}

/** Returns each check that rejects a lead, with the value given, and with the check's verdict on other values. */
function rejectionsOf(values: Values, criteria: Partial<ProductCriteria>, now = noon) {
  const product = productWith(criteria)
  const account = accountWith({}, { products: [product] })
  const factsOf = (each: Values) => ({ lead: leadOf(each), account, product, customer: undefined, now })
  return rules
    .filter(({ judge }) => !judge(factsOf(values)).passes)
    .map(({ check, judge }) => ({
      check,
      given: passingValue({ lead: leadOf(values), trace: [{ check, verdict: 'rejected' }] }, account, now),
      passes: (field: string, value: unknown) => judge(factsOf({ ...values, [field]: value })).passes,
    }))
}

function leadOf(values: Values) {
  return leadWith(body => {
    Object.assign(body.customer, { address: {}, profile: {} })
    for (const [path, value] of Object.entries(values)) {
      const names = path.split('.')
      const holder = names.slice(0, -1).reduce<object>((at, name) => Reflect.get(at, name), body)
      Reflect.set(holder, names.at(-1) ?? '', value)
    }
  })
}

/** Returns the value next to the one given, in the direction of the rejected one. */
function nextTo(given: string | number, rejected: unknown): string | number {
  if (typeof given === 'number') return given + Math.sign(Number(rejected) - given)
  const isLater = String(rejected) > given
  const year = Number(given.slice(0, 4)) + (isLater ? 1 : -1)
  return `${year}${given.slice(4).replace('-02-29', isLater ? '-03-01' : '-02-28')}`
}

const countries = ['ES', 'PT', 'FR']

const anyBirthday = fc.oneof(
  fc.date({ min: new Date('1900-01-01'), max: new Date('2035-01-01'), noInvalidDate: true }).map(isoDay),
  fc.integer({ min: 476, max: 508 }).map(quarter => `${quarter * 4}-02-29`),
)
/** Any time, and often one around the end of February. */
const anyTime = fc.oneof(
  fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2029, 0) }),
  fc
    .tuple(fc.integer({ min: 2020, max: 2029 }), fc.integer({ min: 27, max: 31 }))
    .map(([year, day]) => Date.UTC(year, 1, day)),
)
const anyValues = fc.record({
  [birthday]: anyBirthday,
  [income]: fc.integer({ min: -10, max: 3000 }),
  [country]: fc.constantFrom(...countries, 'es', ''),
  [amount]: fc.integer(loanAmountBounds),
  [term]: fc.integer(loanTermBounds),
  [occupation]: fc.constantFrom(...occupationTypes),
})
const anyCriteria = fc.record({
  min_age: fc.nat(100),
  max_age: fc.nat(100),
  minimum_monthly_income: fc.nat(3000),
  countries: fc.subarray(countries),
  // Wider than the bounds of a lead.
  loan_amount: anyBand(100_000),
  loan_term_months: anyBand(100),
  occupations_excluded: fc.subarray([...occupationTypes], { maxLength: 2 }),
})

function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10)
}

function anyBand(max: number) {
  return fc.tuple(fc.nat(max), fc.nat(max)).map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) }))
}

describe('the value that passes a check', () => {
  it('passes the check under any criteria, and the value next to it does not', async () => {
    const checks = new Set<string>()
    await fc.assert(
      fc.property(anyValues, anyCriteria, anyTime, (values, criteria, now) => {
        for (const { check, given, passes } of rejectionsOf(values, criteria, now)) {
          if (!given) continue
          checks.add(check)
          const { field, value } = given
          expect(passes(field, value)).toBe(true)
          if (field !== country) expect(passes(field, nextTo(value, (values as Values)[field]))).toBe(false)
        }
      }),
      { numRuns: 1000 },
    )
    expect([...checks].sort()).toEqual(['age', 'eligibility', 'geography', 'income'])
  })

  it.each([
    [{ [income]: 200 }, { minimum_monthly_income: 600 }, income, 600],
    [{ [country]: 'IT' }, { countries: ['ES', 'PT'] }, country, 'ES'],
    [{ [birthday]: '2009-03-14' }, {}, birthday, '2008-03-14'],
    [{ [birthday]: '2012-02-29' }, { min_age: 18 }, birthday, '2008-02-29'],
    [{ [birthday]: '2012-02-29' }, { min_age: 19 }, birthday, '2007-02-28'],
    [{ [amount]: 75_000 }, { loan_amount: { min: 1000, max: 20_000 } }, amount, 20_000],
    [{ [term]: 3 }, { loan_term_months: { min: 6, max: 60 } }, term, 6],
  ])('is the nearest one: %j', (values, criteria, field, value) => {
    expect(rejectionsOf({ ...usual, ...values }, criteria)).toMatchObject([{ given: { field, value } }])
  })

  it('keeps a customer who is too old young enough on February 28, the day before a leap day counts', () => {
    const values = { ...usual, [birthday]: '1920-02-29' }
    const given = (now: number) => rejectionsOf(values, { max_age: 75 }, now)[0]?.given?.value
    expect([given(Date.UTC(2026, 1, 28)), given(Date.UTC(2026, 2, 1))]).toEqual(['1950-03-01', '1951-02-28'])
  })

  it.each([
    ['several fields fail', { [amount]: 75_000, [term]: 3 }, {}],
    ['the occupation is excluded', { [occupation]: 'unemployed' }, {}],
    ['the occupation is excluded too', { [occupation]: 'unemployed', [amount]: 75_000 }, {}],
    ['the range is outside the bounds of a lead', {}, { loan_amount: { min: 0, max: 400 } }],
    ['the product accepts no country', {}, { countries: [] }],
    ['no age is in the range', {}, { min_age: 75, max_age: 18 }],
  ])('is none if %s', (_title, values, criteria) => {
    expect(rejectionsOf({ ...usual, ...values }, criteria).map(({ given }) => given)).toEqual([undefined])
  })
})
