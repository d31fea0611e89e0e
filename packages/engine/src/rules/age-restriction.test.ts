import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { factsOf, leadWith, productWith } from '../facts.fixture.ts'
import { ageRestricted } from './age-restriction.ts'

const day = 86_400_000
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** Returns true if a customer with this birthday passes on this day, at both its first and its last moment. */
function passesOn(birthday: string, today: string, criteria = {}): boolean {
  const lead = leadWith(body => {
    body.customer.personal_data.birthday = birthday
  })
  const [first, last] = [`${today}T00:00:00.000Z`, `${today}T23:59:59.999Z`].map(
    now => ageRestricted(factsOf({ lead, product: productWith(criteria), now: Date.parse(now) })).passes,
  )
  expect(first).toBe(last)
  return first === true
}

describe('age_restriction', () => {
  it.each([
    [
      'counts someone born on February 29 as no older on February 28 of a common year',
      '2008-02-29',
      '2026-02-28',
      false,
    ],
    ['counts someone born on February 29 as older on March 1 of a common year', '2008-02-29', '2026-03-01', true],
    ['counts someone born on February 29 as older on February 29 of a leap year', '2004-02-29', '2024-02-29', true],
    ['rejects a future birthday', '2026-06-16', '2026-06-15', false],
    ['includes the last day of a year', '2007-12-31', '2025-12-31', true],
    ['excludes the first day of the next year', '2008-01-01', '2025-12-31', false],
  ])('%s [2.12/age_restriction]', (_title, birthday, today, passes) => {
    expect(passesOn(birthday, today)).toBe(passes)
  })

  it('changes exactly on the birthdays in the criteria, except on February 29 [2.12/age_restriction]', async () => {
    const days = fc.integer({ min: Date.UTC(2020, 0, 1) / day, max: Date.UTC(2035, 11, 31) / day })
    const ages = fc.integer({ min: 0, max: 100 })
    await fc.assert(
      fc.property(days, ages, ages, (number, a, b) => {
        const today = iso(number * day)
        fc.pre(!today.endsWith('02-29'))
        const [min_age, max_age] = [Math.min(a, b), Math.max(a, b)]
        const bornYearsAgo = (years: number) => `${Number(today.slice(0, 4)) - years}${today.slice(4)}`
        const nextDay = (date: string) => iso(Date.parse(date) + day)
        const criteria = { min_age, max_age }
        expect(passesOn(bornYearsAgo(min_age), today, criteria)).toBe(true)
        expect(passesOn(nextDay(bornYearsAgo(min_age)), today, criteria)).toBe(false)
        expect(passesOn(nextDay(bornYearsAgo(max_age + 1)), today, criteria)).toBe(true)
        expect(passesOn(bornYearsAgo(max_age + 1), today, criteria)).toBe(false)
      }),
      { numRuns: 200 },
    )
  })

  it('passes a lead without a birthday, and shows it as not stated [2.3/birthday]', () => {
    expect(ageRestricted(factsOf())).toEqual({ passes: true, input: 'not stated' })
  })

  it('shows the age, the range, a hint and the nearest birthday that passes', () => {
    const lead = leadWith(body => {
      body.customer.personal_data.birthday = '2010-01-01'
    })
    expect(ageRestricted(factsOf({ lead }))).toEqual({
      passes: false,
      input: 16,
      threshold: { min_age: 18, max_age: 75 },
      hint: expect.stringContaining('18 to 75'),
      nearest: { field: 'customer.personal_data.birthday', value: '2008-01-01' },
    })
  })
})
