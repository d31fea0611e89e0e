import { type Band, isCalendarDate, isInside, nearestInside } from '@lead-distribution/contract'
import { type FieldValue, type Judge, notStated } from './rule.ts'

/**
 * @spec 2.12/age_restriction
 * The specification doesn't give the range: each product publishes its own. Days are counted in UTC.
 */
export const ageRestricted: Judge = ({ lead, product, now }) => {
  const { birthday } = lead.customer.personal_data
  if (birthday === undefined || !product) return notStated
  const { min_age, max_age } = product.criteria
  const ages = { min: min_age, max: max_age }
  const today = new Date(now)
  const age = ageOn(birthday, today)
  const passes = isInside(ages, age)
  return {
    passes,
    input: age,
    threshold: { min_age, max_age },
    hint: `Send a birthday that makes the customer ${min_age} to ${max_age} years old.`,
    nearest: passes ? undefined : nearestBirthday(birthday, ages, today),
  }
}

/** Returns the birthday in the nearest year that passes. In a common year, February 29 becomes a day next to it. */
function nearestBirthday(birthday: string, ages: Band, today: Date): FieldValue | undefined {
  const age = ageOn(birthday, today)
  const nearest = nearestInside(ages, age)
  const year = String(Number(birthday.slice(0, 4)) + age - nearest).padStart(4, '0')
  const days = [birthday.slice(4), '-02-28', '-03-01'].map(day => `${year}${day}`)
  const value = days.find(day => isCalendarDate(day) && ageOn(day, today) === nearest)
  return value === undefined || !isInside(ages, nearest)
    ? undefined
    : { field: 'customer.personal_data.birthday', value }
}

/**
 * Returns an age in whole years, which increases on the birthday itself. In a common year, someone born on February 29
 * turns a year older on March 1.
 */
export function ageOn(birthday: string, day: Date): number {
  const [year = 0, month = 0, date = 0] = birthday.split('-').map(Number)
  const before = day.getUTCMonth() + 1 < month || (day.getUTCMonth() + 1 === month && day.getUTCDate() < date)
  return day.getUTCFullYear() - year - (before ? 1 : 0)
}
