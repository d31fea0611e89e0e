import * as z from 'zod/mini'
import type { Interpretation } from '../interpretation.ts'
import { address } from './address.shape.ts'
import { contact } from './contact.shape.ts'
import { financialInstrument } from './financial-instrument.shape.ts'
import { personalData } from './personal-data.shape.ts'
import { profile } from './profile.shape.ts'

/** The shape of a customer (Spec 2.2). */
export function customer(reading: Interpretation) {
  return z.object({
    external_id: z.optional(z.string()),
    personal_data: personalData(reading),
    contact,
    address: z.optional(address),
    profile: z.optional(profile),
    financial_instruments: z.optional(z.array(financialInstrument)),
  })
}
