import * as z from 'zod/mini'
import { verificationMethods, verificationStatuses } from '../enumerations.ts'
import { dateTime, emailAddress } from '../formats.shape.ts'
import { defaultAreaCode } from './contact.ts'

const verification = {
  status: z.optional(z.enum(verificationStatuses)),
  verified_at: z.optional(dateTime),
  verification_method: z.optional(z.enum(verificationMethods)),
  source: z.optional(z.string()),
}

/** The shape of an e-mail contact (Spec 2.4). */
export const emailContact = z.object({ address: emailAddress, ...verification })

/** The shape of a phone contact (Spec 2.4). */
export const phoneContact = z.object({
  area_code: z._default(z.string(), defaultAreaCode),
  number: z.optional(z.string()),
  ...verification,
})

/** The shape of a contact (Spec 2.4). */
export const contact = z.object({ email: emailContact, phone: z.optional(phoneContact) })
