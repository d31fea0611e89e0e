import { isInside, nearestInside } from '@lead-distribution/contract'
import type { Lead } from './entries.ts'
import { fieldOf } from './json.ts'

/** A lead's field, with a value that passes the check that rejected it. */
export interface Passing {
  /** The value as shown by the check. */
  readonly shown: string
  readonly field: string
  readonly value: unknown
}

type Step = Pick<Lead['trace'][number], 'check' | 'input' | 'threshold'>

interface Band {
  readonly min: number
  readonly max: number
}

/** The fields with a range of eligible values. */
const bands = { loan_amount: 'product_data.loan_amount', loan_term_months: 'product_data.loan_term_months' } as const

/**
 * Returns the nearest value that passes a check with a threshold; undefined if the check has none, or if several fields
 * fail.
 */
export function passingValue({ check, input, threshold }: Step, submission: unknown): Passing | undefined {
  if (check === 'income' && typeof threshold === 'number')
    return { shown: String(threshold), field: 'customer.profile.monthly_income', value: threshold }
  if (check === 'geography' && Array.isArray(threshold) && threshold.length > 0)
    return { shown: String(threshold[0]), field: 'customer.address.country', value: threshold[0] }
  if (check === 'age' && typeof input === 'number') {
    const { min_age: min, max_age: max } = Object(threshold)
    const age = nearestInside({ min, max }, input)
    const [year = '', rest = ''] = String(fieldOf(submission, birthdayPath)).split(/-(.*)/)
    // A leap day does not exist in most other years. Whoever is too old must not get older by the change.
    const leapDay = age < input ? '03-01' : '02-28'
    const day = rest === '02-29' ? leapDay : rest
    const value = `${String(Number(year) + input - age).padStart(4, '0')}-${day}`
    return { shown: `${age} years`, field: birthdayPath, value }
  }
  if (check !== 'eligibility') return undefined
  const failing = Object.entries(bands).flatMap(([name, field]) => {
    const band: Band | undefined = Object(threshold)[name]
    const value = Number(Object(input)[name])
    if (!band || isInside(band, value)) return []
    const nearest = nearestInside(band, value)
    return [{ shown: String(nearest), field, value: nearest }]
  })
  const isExcluded = Object(threshold).occupations_excluded?.includes(Object(input).occupation)
  return failing.length === 1 && !isExcluded ? failing[0] : undefined
}

const birthdayPath = 'customer.personal_data.birthday'
