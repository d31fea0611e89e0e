import { type OccupationType, occupationTypes } from '../enumerations.ts'
import type { Profile } from '../lead/profile.ts'
import type { PublishedProduct } from './published-account.ts'

/** Net monthly income that a test lead states where the criteria leave the choice, whole euros. */
const usualIncome = 2000

/** A profile that passes the rules with the least income; undefined where every occupation is excluded. */
export function poorestProfile({ criteria }: PublishedProduct): Profile | undefined {
  const occupation = occupationTypes.find(each => !criteria.occupations_excluded.includes(each))
  return occupation && { occupation, monthly_income: criteria.minimum_monthly_income }
}

/** A profile with an income that is too low by one euro. Throws where none is. */
export function tooPoorProfile({ criteria }: PublishedProduct): Profile {
  const { minimum_monthly_income } = criteria
  if (minimum_monthly_income > 0)
    return { occupation: 'indefinite_employee', monthly_income: minimum_monthly_income - 1 }
  throw new Error("No income is too low: raise the product's minimum_monthly_income above 0.")
}

/** A profile with an income that is high enough. */
export function earningProfile(occupation: OccupationType, { criteria }: PublishedProduct): Profile {
  return { occupation, monthly_income: Math.max(usualIncome, criteria.minimum_monthly_income) }
}
