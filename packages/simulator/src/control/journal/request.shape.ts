import { dateTime, operations, uuid } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { wholeNumber } from '../whole-number.ts'

const operation = z.enum(Object.keys(operations) as (keyof typeof operations)[])
const requestId = z.string().check(z.regex(/^r\d{1,15}$/, 'must be a request_id of the journal, such as r42'))

const wrongStatus = 'must be a status or a class of them, such as 4xx'

/** The query of the journal. */
export const requestQuery = z.strictObject({
  operation: z.optional(operation),
  status: z.optional(z.union([z.int(), z.string().check(z.regex(/^[0-9]xx$/, wrongStatus))], { error: wrongStatus })),
  lead_id: z.optional(uuid),
  limit: z.optional(wholeNumber('limit')),
  before: z.optional(requestId),
})

/** A call of the service as the journal shows it: what was decided, and nothing of what was sent. */
export const request = z.strictObject({
  request_id: requestId,
  at: dateTime,
  operation,
  method: z.string(),
  path: z.string(),
  status: z.int(),
  ms: z.number(),
  lead_id: z.optional(uuid),
  outcome: z.string(),
  reason: z.optional(z.string()),
  event: z.optional(z.string()),
  check: z.optional(z.string()),
  issues: z.optional(z.array(z.strictObject({ field: z.string(), issue: z.string() }))),
  warnings: z.array(
    z.strictObject({
      switch: z.string(),
      interpretation: z.string(),
      other_interpretation: z.string(),
      would: z.string(),
    }),
  ),
  fault_id: z.optional(z.string()),
  broken: z.optional(z.enum(['garbled', 'cut', 'withheld'])),
})
