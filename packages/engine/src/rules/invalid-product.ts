import type { Judge } from './rule.ts'

/**
 * @spec 2.12/invalid_product
 * Two checks at two places of the order: an unknown product is wrong data (point 3 of the open points), one that is
 * switched off a business rejection.
 */
export const unknownProduct: Judge = ({ lead, product }) => ({
  passes: product !== undefined,
  input: lead.product_id,
  hint: 'Submit a product_id of the account.',
})

/** Rejects a lead for a product that exists, but accepts no leads at present. */
export const invalidProduct: Judge = ({ product }) => ({
  passes: product?.active === true,
  input: product?.active,
  threshold: true,
  hint: 'Submit a product that is active.',
})
