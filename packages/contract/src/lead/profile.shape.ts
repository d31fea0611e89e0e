import * as z from 'zod/mini'
import {
  companySectors,
  educationLevels,
  housingTenures,
  housingTypes,
  maritalStatuses,
  occupationTypes,
} from '../enumerations.ts'
import { defaultChildren } from './profile.ts'

/** The shape of a profile (Spec 2.6). */
export const profile = z.object({
  occupation: z.enum(occupationTypes),
  monthly_income: z.int(),
  monthly_expenses: z.optional(z.int()),
  marital_status: z.optional(z.enum(maritalStatuses)),
  children: z._default(z.int(), defaultChildren),
  education: z.optional(z.enum(educationLevels)),
  housing_tenure: z.optional(z.enum(housingTenures)),
  housing_type: z.optional(z.enum(housingTypes)),
  company_sector: z.optional(z.enum(companySectors)),
})
