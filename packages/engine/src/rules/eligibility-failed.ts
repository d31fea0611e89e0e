import { isInside } from '@lead-distribution/contract'
import { type Judge, notStated } from './rule.ts'

/**
 * @spec 2.12/eligibility_failed
 * The specification doesn't give the criteria: each product publishes its ranges of amounts and terms, and its excluded
 * occupations.
 */
export const eligibilityFailed: Judge = ({ lead, product }) => {
  if (!product) return notStated
  const { loan_amount, loan_term_months, occupations_excluded } = product.criteria
  const occupation = lead.customer.profile?.occupation
  const failures = [
    isInside(loan_amount, lead.product_data.loan_amount) ? [] : ['loan_amount'],
    isInside(loan_term_months, lead.product_data.loan_term_months) ? [] : ['loan_term_months'],
    occupation !== undefined && occupations_excluded.includes(occupation) ? ['occupation'] : [],
  ].flat()
  return {
    passes: failures.length === 0,
    input: {
      loan_amount: lead.product_data.loan_amount,
      loan_term_months: lead.product_data.loan_term_months,
      ...(occupation === undefined ? {} : { occupation }),
    },
    threshold: { loan_amount, loan_term_months, occupations_excluded },
    hint: `Change ${failures.join(', ')} to meet the product's criteria.`,
  }
}
