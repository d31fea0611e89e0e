import * as z from 'zod/mini'
import { uuid } from '../formats.shape.ts'
import type { Interpretation } from '../interpretation.ts'
import { consents } from './consents.shape.ts'
import { customer } from './customer.shape.ts'
import { loanProductData } from './loan-product-data.shape.ts'
import { tracking } from './tracking.shape.ts'

/** The shape of `POST /lead`'s body (Spec 2.1) under a reading of what the specification leaves open. */
export function leadSubmission(reading: Interpretation) {
  return z.object({
    product_id: uuid,
    publisher_id: uuid,
    customer: customer(reading),
    product_data: loanProductData,
    consents: consents(reading),
    tracking: z.optional(tracking),
  })
}

/** A lead whose shape was checked and whose defaults (Spec 8) are filled in. */
export type Lead = z.output<ReturnType<typeof leadSubmission>>
