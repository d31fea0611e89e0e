import { isInside } from '@lead-distribution/contract'
import { type Judge, notStated } from './rule.ts'

/**
 * @spec 2.12/eligibility_failed
 * The criteria are not shown in the specification: each product publishes its band of amounts and of terms,
 * and the occupations that it is not given to.
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
    hint: `Change ${failures.join(', ')} so that the criteria of the product are met.`,
  }
}
