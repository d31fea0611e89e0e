import * as z from 'zod/mini'
import { defaultCountry } from './address.ts'

/** The shape of an address (Spec 2.5). */
export const address = z.object({
  street: z.optional(z.string()),
  house: z.optional(z.string()),
  floor: z.optional(z.string()),
  apartment: z.optional(z.string()),
  city: z.optional(z.string()),
  region: z.optional(z.string()),
  postal_code: z.optional(z.string()),
  country: z._default(z.string(), defaultCountry),
})
