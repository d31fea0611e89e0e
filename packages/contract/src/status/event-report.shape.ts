import * as z from 'zod/mini'
import { acceptedPixelEvents, pixelEvents } from '../events.ts'
import { requiredString, uuid } from '../formats.shape.ts'
import { eventOutcomes, maxRefLength } from './event-report.ts'

/** The shape of the pixel's query (Spec 4.3). */
export const eventReport = z.object({
  token: requiredString,
  event: z.enum(acceptedPixelEvents),
  ref: z.optional(z.string().check(z.maxLength(maxRefLength))),
})

/** The shape of the pixel's reply (Spec 4.3). */
export const eventReply = z.object({ lead_id: uuid, event: z.enum(pixelEvents), status: z.enum(eventOutcomes) })
