import { type FieldIssue, validationError } from '@lead-distribution/contract'
import { fieldIssues } from '@lead-distribution/contract/shapes'
import type { CallReply } from '@lead-distribution/http'
import type * as z from 'zod/mini'

/** A refusal of the control plane, in the shape of 2.13. */
export function controlError(status: number, error: string, message: string): CallReply {
  return { status, body: { error, message } }
}

/** The refusal of a name that no tenant has. */
export const noSuchTenant = controlError(
  404,
  'not_found',
  'No tenant has this name. GET /_sandbox/v1/tenants lists them.',
)

/** The refusal of fields that are wrong for a reason that no shape tells. */
export function refuseFields(...details: FieldIssue[]): CallReply {
  return validationError(details)
}

/** Reads an input by its shape: the value, or the refusal that names every field that is wrong. */
export function readInput<Shape extends z.ZodMiniType>(
  shape: Shape,
  body: unknown,
): { value: z.output<Shape>; refused?: never } | { refused: CallReply; value?: never } {
  const result = shape.safeParse(body)
  return result.success ? { value: result.data } : { refused: validationError(fieldIssues(result.error.issues, body)) }
}
