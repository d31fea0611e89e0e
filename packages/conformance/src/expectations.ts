import {
  type ErrorCode,
  type EventOutcome,
  errorStatus,
  type LeadStatus,
  type PixelEvent,
  type RejectionReason,
} from '@lead-distribution/contract'
import { errorResponse, eventReply, leadResponse, statusReply } from '@lead-distribution/contract/shapes'
import { Mismatch } from './case.ts'
import type { TargetResponse } from './target.ts'

// Each function throws a Mismatch if the expectation doesn't hold.

export function expectStatus(response: TargetResponse, ...statuses: number[]): void {
  if (!statuses.includes(response.status)) throw new Mismatch(statuses.join(' or '), describeResponse(response))
}

/** Expects a condition to hold. `expected` describes it as part of a sentence. */
export function expectOf(response: TargetResponse, holds: boolean, expected: string): void {
  if (!holds) throw new Mismatch(expected, describeResponse(response))
}

/** Expects a value, compared as JSON. `what` names it in the report. */
export function expectSame(what: string, seen: unknown, expected: unknown): void {
  const [seenText, expectedText] = [JSON.stringify(seen), JSON.stringify(expected)]
  if (seenText !== expectedText) throw new Mismatch(`${what} to be ${expectedText}`, String(seenText))
}

/** Expects an error with one of these statuses and a body as in 2.13. Only a 400 has `details`. */
export function expectRefused(response: TargetResponse, ...statuses: number[]): void {
  expectStatus(response, ...statuses)
  expectErrorBody(response)
  expectOf(response, response.status === 400 || response.json.details === undefined, 'details only in a 400')
}

/** Expects any 4xx error with a body as in 2.13, because the specification shows no status code for this request. */
export function expectAnyRefusal(response: TargetResponse): void {
  expectClientError(response)
  expectErrorBody(response)
}

/** Expects any 4xx error, with any body, because the specification says nothing about this request. */
export function expectClientError(response: TargetResponse): void {
  expectOf(response, response.status >= 400 && response.status < 500, 'an error from 400 to 499')
}

function expectErrorBody(response: TargetResponse): void {
  expectOf(response, errorResponse.safeParse(response.json).success, 'a body with the shape of ErrorResponse (2.13)')
}

/** Expects an error with our code and its status: except `validation_error`, a matter of interpretation. */
export function expectCode(response: TargetResponse, code: ErrorCode): void {
  expectRefused(response, errorStatus[code])
  expectOf(response, response.json.error === code, `the error ${code}`)
}

/** Expects a 400 whose details name the field. Only its own name counts: path formats differ. */
export function expectFieldRefused(response: TargetResponse, path: string): void {
  expectRefused(response, 400)
  const name = path.split('.').findLast(name => !/^\d+$/.test(name)) ?? path
  const isNamed = fieldsOf(response).some(field => field.includes(name))
  expectOf(response, isNamed, `details that name the field ${name}`)
}

/** Expects a `validation_error` whose details name exactly these fields, by their dotted paths. */
export function expectFieldsRefused(response: TargetResponse, ...paths: string[]): void {
  expectCode(response, 'validation_error')
  expectSame('the fields that the details name', fieldsOf(response).sort(), paths.toSorted())
}

/** Returns the fields that the details of an error name. */
export function fieldsOf({ json }: TargetResponse): string[] {
  return (json?.details ?? []).map(({ field }: { field: string }) => field)
}

/** Expects an `Allow` header with each of these methods. */
export function expectAllow(response: TargetResponse, ...methods: string[]): void {
  const allowed = response.headers.get('allow')?.split(/, */) ?? []
  const isAllowed = methods.every(each => allowed.includes(each))
  expectOf(response, isAllowed, `an Allow header with ${methods.join(', ')} (got ${allowed.join(', ') || 'none'})`)
}

const maxLetters = 300

/** Describes a response in a report: its status and the start of its body, without half a word, which may be half a key. */
export function describeResponse({ status, text }: TargetResponse): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const body = line.length > maxLetters ? `${line.slice(0, maxLetters).replace(/[^\s"'<>,{}[\]]*$/, '')}…` : line
  return body === '' ? `${status} without a body` : `${status} ${body}`
}

/** Returns true for a field that is absent under either interpretation. */
export const isAbsent = (value: unknown) => value === undefined || value === null

/** Expects a 200 as in 2.12, with this status if one is given, and with the fields of that status and no others. */
export function expectLead(response: TargetResponse, status?: LeadStatus): void {
  expectStatus(response, 200)
  expectOf(response, leadResponse.safeParse(response.json).success, 'a response with the shape of LeadResponse (2.12)')
  const { json } = response
  if (status) expectOf(response, json.status === status, `the status ${status}`)
  const isCreated = json.status !== 'rejected'
  const hasRedirect = !isAbsent(json.redirect_url)
  if (isCreated) expectOf(response, !isAbsent(json.lead_id), 'a lead_id')
  const isRightRedirect = hasRedirect === (json.status === 'distributed')
  expectOf(response, isRightRedirect, 'a redirect_url if and only if the lead is distributed')
  const isRightReason = isAbsent(json.rejection_reason) === isCreated
  expectOf(response, isRightReason, 'a rejection_reason if and only if the lead is rejected')
}

export function expectRejected(response: TargetResponse, reason: RejectionReason): void {
  expectLead(response, 'rejected')
  expectOf(response, response.json.rejection_reason === reason, `the rejection_reason ${reason}`)
}

/** Expects a lead that isn't rejected for this reason. */
export function expectNotRejected(response: TargetResponse, reason: RejectionReason): void {
  expectLead(response)
  expectOf(response, response.json.rejection_reason !== reason, `no ${reason}`)
}

/** Expects a 200 to a status update, as in 4.2, that repeats the lead and the status. */
export function expectUpdated(response: TargetResponse, lead_id: string, status: string): void {
  expectStatus(response, 200)
  expectOf(response, statusReply.safeParse(response.json).success, 'a response with lead_id and status (4.2)')
  expectOf(response, response.json.lead_id === lead_id, 'the lead_id of the lead')
  expectOf(response, response.json.status === status, `the reported status, ${status}`)
}

/** Expects a 200 to the pixel, as in 4.3, with this event and outcome. */
export function expectEvent(response: TargetResponse, lead_id: string, event: PixelEvent, outcome: EventOutcome): void {
  expectStatus(response, 200)
  expectOf(response, eventReply.safeParse(response.json).success, 'a response with lead_id, event and status (4.3)')
  expectOf(response, response.json.lead_id === lead_id, 'the lead_id of the lead')
  expectOf(response, response.json.event === event, `the event ${event}`)
  expectOf(response, response.json.status === outcome, `the status ${outcome}`)
}
