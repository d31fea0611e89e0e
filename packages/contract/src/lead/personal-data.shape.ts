import * as z from 'zod/mini'
import { genders } from '../enumerations.ts'
import { calendarDate, requiredString } from '../formats.shape.ts'
import type { Interpretation } from '../interpretation.ts'
import { defaultNacionality } from './personal-data.ts'

const gender = z.enum(genders)

/** The shape of the personal data (Spec 2.3). */
export function personalData(reading: Interpretation) {
  return z.object({
    first_name: requiredString,
    last_name: requiredString,
    second_surname: z.optional(z.string()),
    birthday: z.optional(calendarDate),
    identification_number: z.optional(z.string()),
    nacionality: z._default(z.string(), defaultNacionality),
    gender:
      reading.gender === 'required' ? (gender as unknown as z.ZodMiniOptional<typeof gender>) : z.optional(gender),
  })
}
