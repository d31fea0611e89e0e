import { isInside, loanAmountBounds, loanTermBounds, nearestInside } from '@lead-distribution/contract'
import { type FieldValue, type Judge, notStated } from './rule.ts'

/** The fields with a range of eligible values, and their bounds in any lead. */
const bounds = { loan_amount: loanAmountBounds, loan_term_months: loanTermBounds } as const
const names = ['loan_amount', 'loan_term_months'] as const

/**
 * @spec 2.12/eligibility_failed
 * The specification doesn't give the criteria: each product publishes its ranges of amounts and terms, and its excluded
 * occupations.
 */
export const eligibilityFailed: Judge = ({ lead: { customer, product_data }, product }) => {
  if (!product) return notStated
  const { criteria } = product
  const { loan_amount, loan_term_months, occupations_excluded } = criteria
  const occupation = customer.profile?.occupation
  const isExcluded = occupation !== undefined && occupations_excluded.includes(occupation)
  const outside = names.filter(name => !isInside(criteria[name], product_data[name]))
  const failures = isExcluded ? [...outside, 'occupation'] : outside
  const [name] = failures.length === 1 ? outside : []
  return {
    passes: failures.length === 0,
    input: {
      loan_amount: product_data.loan_amount,
      loan_term_months: product_data.loan_term_months,
      ...(occupation === undefined ? {} : { occupation }),
    },
    threshold: { loan_amount, loan_term_months, occupations_excluded },
    hint: `Change ${failures.join(', ')} to meet the product's criteria.`,
    nearest: name === undefined ? undefined : nearestLoan(name, nearestInside(criteria[name], product_data[name])),
  }
}

/** Returns undefined for a value that the criteria allow but no lead may have. */
function nearestLoan(name: (typeof names)[number], value: number): FieldValue | undefined {
  return isInside(bounds[name], value) ? { field: `product_data.${name}`, value } : undefined
}
