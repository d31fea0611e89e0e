import { randomUUID } from 'node:crypto'
import { proseInterpretation } from '@lead-distribution/contract'
import { type Lead, leadSubmission } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'

const shape = z.compile(leadSubmission(proseInterpretation))

/** Validates a lead with the sandbox's shape, as fast as the sandbox; returns undefined if the body is not valid. */
export function readLead(body: unknown): Lead | undefined {
  const result = shape.safeParse(body)
  return result.success ? result.data : undefined
}

/** Does the work of the bare servers: validates the shape and responds with a random id. */
export function respondToLead(body: unknown): { status: number; body: object } {
  if (!readLead(body)) return { status: 400, body: { error: 'validation_error' } }
  return { status: 200, body: { lead_id: randomUUID(), status: 'new' } }
}
