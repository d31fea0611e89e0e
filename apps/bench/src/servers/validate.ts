import { randomUUID } from 'node:crypto'
import { proseInterpretation } from '@lead-distribution/contract'
import { leadSubmission } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'

const shape = z.compile(leadSubmission(proseInterpretation))

/** The work of the bare servers: check the same shape, as fast as the sandbox does, and respond with a random id. */
export function answerLead(body: unknown): { status: number; body: object } {
  const result = shape.safeParse(body)
  if (!result.success) return { status: 400, body: { error: 'validation_error' } }
  return { status: 200, body: { lead_id: randomUUID(), status: 'new' } }
}
