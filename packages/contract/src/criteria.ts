import { type LoanPurpose, loanPurposes } from './lead/enumerations.ts'
import { loanTermBounds } from './lead/limits.ts'

// Criteria are plain data, without zod. Their types, shapes, defaults and test leads derive from them.

/** A range of whole numbers, both ends inclusive, in the field's unit. */
export interface Band {
  /** The lower end. */
  min: number
  /** The upper end. */
  max: number
}

/** The unit of a criterion that is a number or a range. */
export type CriterionUnit = 'euros' | 'months' | 'years'

/** A criterion of a product or advertiser: a non-negative whole number, a range, or a list. */
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
      /** The possible items. Without these and without a format, any text. */
      readonly values?: readonly string[]
      /** The format of an item, and the issue of an item in another format. */
      readonly format?: { readonly issue: string } & (
        | { readonly pattern: RegExp }
        | { readonly accepts: (item: string) => boolean }
      )
      /** Default: the number of possible items. */
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

/** The values of criteria, by name. */
export type CriteriaOf<Criteria> = { -readonly [Name in keyof Criteria]: CriterionValue<Criteria[Name]> }

/** A read-only view of criteria. */
export type ReadonlyCriteria<Criteria> = { readonly [Name in keyof Criteria]: Readonly<Criteria[Name]> }

/** The criteria by which an advertiser accepts or declines leads. */
export const advertiserCriteria = {
  /** Loan amounts. Leads above the default maximum stay `new`. */
  loan_amount: { type: 'band', unit: 'euros', default: { min: 500, max: 50_000 } },
  /** Loan terms. */
  loan_term_months: { type: 'band', unit: 'months', default: loanTermBounds },
  /** Excluded loan purposes. */
  loan_purposes_excluded: { type: 'list', values: loanPurposes, default: [] as LoanPurpose[] },
  /** Minimum net monthly income. Leads that state no income are accepted. */
  minimum_monthly_income: { type: 'integer', unit: 'euros', default: 0 },
} as const satisfies Readonly<Record<string, Criterion>>

/** The criteria by which an advertiser accepts or declines leads. */
export type AdvertiserCriteria = CriteriaOf<typeof advertiserCriteria>

/** Returns a new copy of the criteria's default values. */
export function defaultsOf<Criteria extends Readonly<Record<string, Criterion>>>(
  criteria: Criteria,
): CriteriaOf<Criteria> {
  const defaults = Object.entries(criteria).map(([name, criterion]) => [name, structuredClone(criterion.default)])
  return Object.fromEntries(defaults) as CriteriaOf<Criteria>
}

/** Returns true if a number is inside a range. */
export function isInside({ min, max }: Readonly<Band>, value: number): boolean {
  return value >= min && value <= max
}

/** Returns the intersection of two ranges; undefined if they don't overlap. */
export function sharedBand(one: Readonly<Band>, other: Readonly<Band>): Band | undefined {
  const min = Math.max(one.min, other.min)
  const max = Math.min(one.max, other.max)
  return min > max ? undefined : { min, max }
}

/** Returns the number inside a range that is closest to a given number. */
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
 * Returns the names of an advertiser's criteria that a loan fails; none if the advertiser accepts it. An unstated
 * income meets every minimum.
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

/** Returns true if two JSON values, such as criteria, are equal, regardless of field order. An undefined field is missing. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every(name => isSameJson(Reflect.get(one, name), Reflect.get(other, name)))
}
