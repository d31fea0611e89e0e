import { type ErrorCode, errorStatus } from '@lead-distribution/contract'
import { errorResponse } from '@lead-distribution/contract/shapes'
import { Mismatch } from '../mismatch.ts'
import type { TargetResponse } from '../target.ts'

/**
 * Sees that a response has this status.
 * @throws {Mismatch} where it has another.
 */
export function expectStatus(response: TargetResponse, ...statuses: number[]): void {
  if (!statuses.includes(response.status)) throw new Mismatch(statuses.join(' or '), describeResponse(response))
}

/**
 * Sees that something holds of a response: `expected` says what, as a part of a sentence.
 * @throws {Mismatch} where it does not.
 */
export function expectOf(response: TargetResponse, holds: boolean, expected: string): void {
  if (!holds) throw new Mismatch(expected, describeResponse(response))
}

/**
 * Sees that a value is this one.
 * @throws {Mismatch} where it is not; `what` says what the value is of.
 */
export function expectSame(what: string, seen: unknown, expected: unknown): void {
  const [seenText, expectedText] = [JSON.stringify(seen), JSON.stringify(expected)]
  if (seenText !== expectedText) throw new Mismatch(`${what} to be ${expectedText}`, String(seenText))
}

/**
 * Sees that a request is refused with this status and a body of 2.13; only a 400 has `details`.
 * @throws {Mismatch} where it is not.
 */
export function expectRefusal(response: TargetResponse, ...statuses: number[]): void {
  expectStatus(response, ...statuses)
  expectOf(response, errorResponse.safeParse(response.json).success, 'a body in the shape of ErrorResponse (2.13)')
  expectOf(response, response.status === 400 || response.json.details === undefined, 'details only in a 400')
}

/**
 * Sees that a request is refused with our code, and its status. The specification shows only
 * `validation_error`: elsewhere the code is a matter of interpretation.
 * @throws {Mismatch} where it is not.
 */
export function expectCode(response: TargetResponse, code: ErrorCode): void {
  expectRefusal(response, errorStatus[code])
  expectOf(response, response.json.error === code, `the error ${code}`)
}

/**
 * Sees that a field is refused: a 400 whose details name it. How the place is written is a matter of interpretation, so that
 * the field's own name is looked for.
 * @throws {Mismatch} where it is not.
 */
export function expectFieldRefused(response: TargetResponse, path: string): void {
  expectRefusal(response, 400)
  const name = path.split('.').findLast(name => !/^\d+$/.test(name)) ?? path
  expectOf(
    response,
    fieldsOf(response).some(field => field.includes(name)),
    `details that name the field ${name}`,
  )
}

/** The fields that a refusal names. */
export function fieldsOf({ json }: TargetResponse): string[] {
  return (json?.details ?? []).map(({ field }: { field: string }) => field)
}

const mostLetters = 300

/** A response as a report shows it: its status, and the beginning of its body. */
export function describeResponse({ status, text }: TargetResponse): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const body = line.length > mostLetters ? `${line.slice(0, mostLetters)}…` : line
  return body === '' ? `${status} without a body` : `${status} ${body}`
}
