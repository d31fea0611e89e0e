import { type FieldIssue, validationError } from '@lead-distribution/contract'
import { fieldIssues } from '@lead-distribution/contract/shapes'
import type { JsonResponse } from '@lead-distribution/http'
import type * as z from 'zod/mini'

/** A refusal of the control plane, in the shape of 2.13. */
export function controlError(status: number, error: string, message: string): JsonResponse {
  return { status, body: { error, message } }
}

/** The refusal of a name that no tenant has. */
export const noSuchTenant = controlError(
  404,
  'not_found',
  'No tenant has this name. To list them: GET /_sandbox/v1/tenants, or lead-sandbox tenants list.',
)

/** The refusal of fields that are wrong for a reason that no shape tells. */
export function refuseFields(...details: FieldIssue[]): JsonResponse {
  return validationError(details)
}

/** The refusal of something that a tenant does not have, such as `lead`. */
export function noSuch(thing: string): JsonResponse {
  return controlError(404, 'not_found', `The tenant has no ${thing} of this id.`)
}

/** Reads an input by its shape: the value, or the refusal that names every field that is wrong. */
export function readInput<Shape extends z.ZodMiniType>(
  shape: Shape,
  body: unknown,
): { value: z.output<Shape>; refused?: never } | { refused: JsonResponse; value?: never } {
  const result = shape.safeParse(body)
  return result.success ? { value: result.data } : { refused: validationError(fieldIssues(result.error.issues, body)) }
}

/**
 * Reads query parameters by their shape. A parameter of digits is a number, but where the shape wants a text; one that
 * is given twice is refused.
 */
export function readQuery<Shape extends z.ZodMiniType>(
  shape: Shape,
  query: URLSearchParams,
): ReturnType<typeof readInput<Shape>> {
  const repeated = [...new Set(query.keys())].filter(name => query.getAll(name).length > 1)
  if (repeated.length > 0)
    return { refused: refuseFields(...repeated.map(field => ({ field, issue: 'must be given once' }))) }
  const valuesBut = (texts: readonly unknown[]) =>
    Object.fromEntries(
      [...query].map(([name, text]) => [name, digits.test(text) && !texts.includes(name) ? Number(text) : text]),
    )
  const read = shape.safeParse(valuesBut([]))
  if (read.success) return { value: read.data }
  const wantText = read.error.issues.filter(
    ({ code, ...issue }) => code === 'invalid_type' && 'expected' in issue && issue.expected === 'string',
  )
  return readInput(shape, valuesBut(wantText.map(({ path }) => path[0])))
}

/** As many as a number holds. */
const digits = /^\d{1,15}$/
