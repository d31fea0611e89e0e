import { dateTime } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { wholeNumber } from '../whole-number.ts'

const status = wholeNumber('status')
const times = wholeNumber('times')

/** How an inbox answers, and how many more times; until it is changed where no number is named. */
export const inboxMode = z.strictObject({ status, times: z.optional(times) })

/** The body of a change of an inbox. */
export const inboxChange = z.strictObject({ status, times: z.optional(times) })

/** A callback that an inbox got, and what it answered. */
export const inboxEntry = z.strictObject({
  received_at: dateTime,
  lead_id: z.string(),
  event: z.string(),
  target: z.string(),
  headers: z.record(z.string(), z.string()),
  status: z.int(),
})
