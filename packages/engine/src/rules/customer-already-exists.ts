import type { Judge } from './rule.ts'

/**
 * @spec 2.12/customer_already_exists
 * A lead of the same product and e-mail address exists. Checked again by the claim that ends a decision, so that of two
 * concurrent submissions exactly one wins.
 */
export const customerAlreadyExists: Judge = ({ customer }) => ({
  passes: customer?.lead_id === undefined,
  input: customer?.lead_id,
  hint: 'Submit another e-mail address, or the same one for another product.',
})
