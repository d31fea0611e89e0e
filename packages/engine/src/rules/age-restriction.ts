import { type Judge, notStated } from './rule.ts'

/**
 * @spec 2.12/age_restriction
 * The specification doesn't give the range: each product publishes its own. Days are counted in UTC.
 */
export const ageRestricted: Judge = ({ lead, product, now }) => {
  const { birthday } = lead.customer.personal_data
  if (birthday === undefined || !product) return notStated
  const { min_age, max_age } = product.criteria
  const age = ageOn(birthday, new Date(now))
  return {
    passes: age >= min_age && age <= max_age,
    input: age,
    threshold: { min_age, max_age },
    hint: `Send a birthday that makes the customer ${min_age} to ${max_age} years old.`,
  }
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
