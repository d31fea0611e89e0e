import type { Judge } from './rule.ts'

/**
 * @spec 2.12/invalid_product
 * Two checks at two places in the order: an unknown product is invalid data (point 3 of the open points), an inactive
 * one a business rejection.
 */
export const unknownProduct: Judge = ({ lead, product }) => ({
  passes: product !== undefined,
  input: lead.product_id,
  hint: 'Submit a product_id of the account.',
})

/** Rejects a lead for a product that exists but is inactive. */
export const invalidProduct: Judge = ({ product }) => ({
  passes: product?.active === true,
  input: product?.active,
  threshold: true,
  hint: 'Submit an active product.',
})
