import type { Rule } from './rule.ts'

/**
 * @spec 2.12/invalid_product
 * Two checks at two places of the order: an unknown product is a matter of the data (point 3 of the open
 * points), one that is switched off a business rejection.
 */
export const productUnknown: Rule = {
  check: 'product',
  reason: 'invalid_product',
  refusal: 'semantic',
  judge: ({ lead, product }) => ({
    passes: product !== undefined,
    input: lead.product_id,
    hint: 'Submit a product_id of the account.',
  }),
}

/** The product is there but takes no leads at present. */
export const productInactive: Rule = {
  check: 'product_active',
  reason: 'invalid_product',
  refusal: 'without_lead',
  judge: ({ product }) => ({
    passes: product?.active === true,
    input: product?.active,
    threshold: true,
    hint: 'Submit a product that is active.',
  }),
}
