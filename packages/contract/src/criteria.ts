import { type LoanPurpose, loanPurposes } from './lead/enumerations.ts'
import { loanTermBounds } from './lead/limits.ts'

// Criteria are plain data, without zod. Their types, shapes, defaults and test leads are made from them.

/** A band of whole numbers, both ends inclusive, in the unit of its field. */
export interface Band {
  /** The smallest number inside. */
  min: number
  /** The largest number inside. */
  max: number
}

/** The unit of a criterion that is a number or a band. */
export type CriterionUnit = 'euros' | 'months' | 'years'

/** A criterion of a product or an advertiser: a whole number from 0, a band of them, or a list. */
export type Criterion =
  | {
      readonly type: 'integer'
      readonly unit: CriterionUnit
      /** Default: unlimited. */
      readonly max?: number
      readonly default: number
    }
  | { readonly type: 'band'; readonly unit: CriterionUnit; readonly default: Readonly<Band> }
  | {
      readonly type: 'list'
      /** The possible items; any text if neither they nor a format are given. */
      readonly values?: readonly string[]
      /** The format of an item, with the issue of an item that lacks it. */
      readonly format?: { readonly issue: string } & (
        | { readonly pattern: RegExp }
        | { readonly accepts: (item: string) => boolean }
      )
      /** Default: one of each of its values. */
      readonly maxItems?: number
      readonly default: readonly string[]
    }

/** The value of a criterion. */
export type CriterionValue<One> = One extends { readonly type: 'integer' }
  ? number
  : One extends { readonly type: 'band' }
    ? Band
    : One extends { readonly values: readonly (infer Item)[] }
      ? Item[]
      : string[]

/** The values of criteria, by their names. */
export type CriteriaOf<Criteria> = { -readonly [Name in keyof Criteria]: CriterionValue<Criteria[Name]> }

/** Criteria that only are read. */
export type ReadonlyCriteria<Criteria> = { readonly [Name in keyof Criteria]: Readonly<Criteria[Name]> }

/** The criteria of an advertiser, which decide on the leads that it accepts. */
export const advertiserCriteria = {
  /** The amounts that it lends. The default leaves leads of more `new`. */
  loan_amount: { type: 'band', unit: 'euros', default: { min: 500, max: 50_000 } },
  /** The terms that it lends for. */
  loan_term_months: { type: 'band', unit: 'months', default: loanTermBounds },
  /** The purposes that it does not lend for. */
  loan_purposes_excluded: { type: 'list', values: loanPurposes, default: [] as LoanPurpose[] },
  /** The lowest net monthly income that it lends to. It accepts a lead that states no income. */
  minimum_monthly_income: { type: 'integer', unit: 'euros', default: 0 },
} as const satisfies Readonly<Record<string, Criterion>>

/** The criteria of an advertiser, which decide on the leads that it accepts. */
export type AdvertiserCriteria = CriteriaOf<typeof advertiserCriteria>

/** Returns new default values of criteria. */
export function defaultsOf<Criteria extends Readonly<Record<string, Criterion>>>(
  criteria: Criteria,
): CriteriaOf<Criteria> {
  const defaults = Object.entries(criteria).map(([name, criterion]) => [name, structuredClone(criterion.default)])
  return Object.fromEntries(defaults) as CriteriaOf<Criteria>
}

/** Returns true if a number is inside a band. */
export function isInside({ min, max }: Readonly<Band>, value: number): boolean {
  return value >= min && value <= max
}

/** Returns the intersection of two bands; undefined if they have no number in common. */
export function sharedBand(one: Readonly<Band>, other: Readonly<Band>): Band | undefined {
  const min = Math.max(one.min, other.min)
  const max = Math.min(one.max, other.max)
  return min > max ? undefined : { min, max }
}

/** Returns the number inside a band that is nearest to another number. */
export function nearestInside({ min, max }: Readonly<Band>, value: number): number {
  return Math.min(Math.max(value, min), max)
}

/** A loan that a lead applies for. */
interface AppliedLoan {
  readonly loan_amount: number
  readonly loan_term_months: number
  readonly loan_purpose: LoanPurpose
}

/**
 * Returns the names of an advertiser's criteria that a loan does not meet; none if the advertiser accepts it. An income that is
 * not stated meets every minimum.
 */
export function unmetCriteria(
  criteria: ReadonlyCriteria<AdvertiserCriteria>,
  { loan_amount, loan_term_months, loan_purpose }: AppliedLoan,
  monthlyIncome = Number.POSITIVE_INFINITY,
): (keyof AdvertiserCriteria)[] {
  const unmet: (keyof AdvertiserCriteria)[] = []
  if (!isInside(criteria.loan_amount, loan_amount)) unmet.push('loan_amount')
  if (!isInside(criteria.loan_term_months, loan_term_months)) unmet.push('loan_term_months')
  if (criteria.loan_purposes_excluded.includes(loan_purpose)) unmet.push('loan_purposes_excluded')
  if (monthlyIncome < criteria.minimum_monthly_income) unmet.push('minimum_monthly_income')
  return unmet
}
