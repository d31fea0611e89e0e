import * as z from 'zod/mini'
import { financialInstrumentTypes, verificationStatuses } from '../enumerations.ts'
import { defaultCurrency } from './financial-instrument.ts'

/** The shape of a financial instrument (Spec 2.7). */
export const financialInstrument = z.object({
  type: z.optional(z.enum(financialInstrumentTypes)),
  currency: z._default(z.string(), defaultCurrency),
  iban: z.optional(z.string()),
  status: z.optional(z.enum(verificationStatuses)),
})
