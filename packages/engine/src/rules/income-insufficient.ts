import { type Judge, notStated } from './rule.ts'

/**
 * @spec 2.12/income_insufficient
 * The specification doesn't give the threshold: each product publishes its own.
 */
export const incomeInsufficient: Judge = ({ lead, product }) => {
  const income = lead.customer.profile?.monthly_income
  if (income === undefined || !product) return notStated
  const threshold = product.criteria.minimum_monthly_income
  const passes = income >= threshold
  return {
    passes,
    input: income,
    threshold,
    hint: `Send a monthly_income of at least ${threshold}.`,
    nearest: passes ? undefined : { field: 'customer.profile.monthly_income', value: threshold },
  }
}
