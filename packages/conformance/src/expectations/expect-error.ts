import { type ErrorCode, errorStatus } from '@lead-distribution/contract'
import { errorResponse } from '@lead-distribution/contract/shapes'
import type { Reply } from '../target.ts'
import { expectOf, expectStatus } from './expect-reply.ts'

/**
 * Sees that a request is refused with this status and a body of 2.13; `details` stands in a 400 alone.
 * @throws {Mismatch} where it is not.
 */
export function expectRefusal(reply: Reply, ...statuses: number[]): void {
  expectStatus(reply, ...statuses)
  expectOf(reply, errorResponse.safeParse(reply.json).success, 'a body in the shape of ErrorResponse (2.13)')
  expectOf(reply, reply.status === 400 || reply.json.details === undefined, 'details in a 400 alone')
}

/**
 * Sees that a request is refused with this code of ours, and its status. The specification shows `validation_error`
 * alone: elsewhere the code is a matter of reading.
 * @throws {Mismatch} where it is not.
 */
export function expectCode(reply: Reply, code: ErrorCode): void {
  expectRefusal(reply, errorStatus[code])
  expectOf(reply, reply.json.error === code, `the error ${code}`)
}

/**
 * Sees that a field is refused: a 400 whose details name it. How the place is written is a matter of reading, so that
 * the field's own name is looked for.
 * @throws {Mismatch} where it is not.
 */
export function expectFieldRefused(reply: Reply, path: string): void {
  expectRefusal(reply, 400)
  const name = path.split('.').findLast(word => !/^\d+$/.test(word)) ?? path
  expectOf(
    reply,
    fieldsOf(reply).some(field => field.includes(name)),
    `details that name the field ${name}`,
  )
}

/** The fields that a refusal names. */
export function fieldsOf({ json }: Reply): string[] {
  return (json?.details ?? []).map(({ field }: { field: string }) => field)
}
