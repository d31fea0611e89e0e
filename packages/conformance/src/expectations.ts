import {
  type ErrorCode,
  type EventOutcome,
  errorStatus,
  type LeadStatus,
  type PixelEvent,
  type RejectionReason,
} from '@lead-distribution/contract'
import { errorResponse, eventReply, leadResponse, statusReply } from '@lead-distribution/contract/shapes'
import { Mismatch } from './mismatch.ts'
import type { TargetResponse } from './target.ts'

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

/** A field that is not there, under either interpretation of how that is written. */
export const isAbsent = (value: unknown) => value === undefined || value === null

/**
 * Sees that a submission was judged: a 200 in the shape of 2.12, with this status where one is named, and with the
 * fields of that status and no others.
 * @throws {Mismatch} where it was not.
 */
export function expectLead(response: TargetResponse, status?: LeadStatus): void {
  expectStatus(response, 200)
  expectOf(response, leadResponse.safeParse(response.json).success, 'a response in the shape of LeadResponse (2.12)')
  const { json } = response
  if (status) expectOf(response, json.status === status, `the status ${status}`)
  const isCreated = json.status !== 'rejected'
  if (isCreated) expectOf(response, !isAbsent(json.lead_id), 'a lead_id')
  expectOf(
    response,
    isAbsent(json.redirect_url) === (json.status !== 'distributed'),
    'a redirect_url for a distributed lead, and for no other',
  )
  expectOf(
    response,
    isAbsent(json.rejection_reason) === isCreated,
    'a rejection_reason for a rejected lead, and for no other',
  )
}

/**
 * Sees that a lead is rejected for this reason.
 * @throws {Mismatch} where it is not.
 */
export function expectRejected(response: TargetResponse, reason: RejectionReason): void {
  expectLead(response, 'rejected')
  expectOf(response, response.json.rejection_reason === reason, `the rejection_reason ${reason}`)
}

/**
 * Sees that a status by body was taken: a 200 in the shape of 4.2 that repeats lead and status.
 * @throws {Mismatch} where it was not.
 */
export function expectTaken(response: TargetResponse, lead_id: string, status: string): void {
  expectStatus(response, 200)
  expectOf(response, statusReply.safeParse(response.json).success, 'a response with lead_id and status (4.2)')
  expectOf(response, response.json.lead_id === lead_id, 'the lead_id of the lead')
  expectOf(response, response.json.status === status, `the reported status, ${status}`)
}

/**
 * Sees that a pixel call was answered with this event and outcome, in the shape of 4.3.
 * @throws {Mismatch} where it was not.
 */
export function expectEvent(response: TargetResponse, lead_id: string, event: PixelEvent, outcome: EventOutcome): void {
  expectStatus(response, 200)
  expectOf(response, eventReply.safeParse(response.json).success, 'a response with lead_id, event and status (4.3)')
  expectOf(response, response.json.lead_id === lead_id, 'the lead_id of the lead')
  expectOf(response, response.json.event === event, `the event ${event}`)
  expectOf(response, response.json.status === outcome, `the status ${outcome}`)
}

/**
 * Sees that a report is refused, by whichever status of the caller's faults, with a body of 2.13: the specification
 * shows no status codes here.
 * @throws {Mismatch} where it is not.
 */
export function expectSomeRefusal(response: TargetResponse): void {
  expectOf(response, response.status >= 400 && response.status < 500, 'a refusal, from 400 to 499')
  expectOf(response, errorResponse.safeParse(response.json).success, 'a body in the shape of ErrorResponse (2.13)')
}
