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

/** Each function throws a {@link Mismatch} if the expectation fails. */
export const expect = {
  /** Expects a value, compared as JSON. `what` names it in the report. */
  same(what: string, seen: unknown, expected: unknown): void {
    const [seenText, expectedText] = [JSON.stringify(seen), JSON.stringify(expected)]
    if (seenText !== expectedText) throw new Mismatch(`${what} to be ${expectedText}`, String(seenText))
  },

  /** Expects a condition to hold. `expected` describes it as part of a sentence. */
  that(response: TargetResponse, holds: boolean, expected: string): void {
    if (!holds) throw new Mismatch(expected, describeResponse(response))
  },

  status(response: TargetResponse, ...statuses: number[]): void {
    expect.that(response, statuses.includes(response.status), statuses.join(' or '))
  },

  /** Expects a 200 as in 2.12, with this status if one is given, and with exactly the fields of that status. */
  lead(response: TargetResponse, status?: LeadStatus): void {
    const { json } = response
    expect.status(response, 200)
    expect.that(response, leadResponse.safeParse(json).success, 'a response with the shape of LeadResponse (2.12)')
    if (status) expect.that(response, json.status === status, `the status ${status}`)
    const isCreated = json.status !== 'rejected'
    if (isCreated) expect.that(response, !isAbsent(json.lead_id), 'a lead_id')
    const isRightRedirect = isAbsent(json.redirect_url) === (json.status !== 'distributed')
    expect.that(response, isRightRedirect, 'a redirect_url if and only if the lead is distributed')
    const isRightReason = isAbsent(json.rejection_reason) === isCreated
    expect.that(response, isRightReason, 'a rejection_reason if and only if the lead is rejected')
  },

  rejected(response: TargetResponse, reason: RejectionReason): void {
    expect.lead(response, 'rejected')
    expect.that(response, response.json.rejection_reason === reason, `the rejection_reason ${reason}`)
  },

  /** Expects a lead that is not rejected for this reason. */
  notRejected(response: TargetResponse, reason: RejectionReason): void {
    expect.lead(response)
    expect.that(response, response.json.rejection_reason !== reason, `no ${reason}`)
  },

  /** Expects an error with one of these statuses and a body as in 2.13. Only a 400 has `details`. */
  refused(response: TargetResponse, ...statuses: number[]): void {
    expect.status(response, ...statuses)
    expect.errorBody(response)
    expect.that(response, response.status === 400 || response.json.details === undefined, 'details only in a 400')
  },

  /** Expects any 4xx error with a body as in 2.13, because the specification shows no status code for this request. */
  anyRefusal(response: TargetResponse): void {
    expect.clientError(response)
    expect.errorBody(response)
  },

  /** Expects any 4xx error, with any body, because the specification says nothing about this request. */
  clientError(response: TargetResponse): void {
    expect.that(response, response.status >= 400 && response.status < 500, 'an error from 400 to 499')
  },

  errorBody(response: TargetResponse): void {
    const isRight = errorResponse.safeParse(response.json).success
    expect.that(response, isRight, 'a body with the shape of ErrorResponse (2.13)')
  },

  /** Expects an error with our code and its status. */
  code(response: TargetResponse, code: ErrorCode): void {
    expect.refused(response, errorStatus[code])
    expect.that(response, response.json.error === code, `the error ${code}`)
  },

  /** Expects the same error, with our code, in response to different requests. */
  alike(code: ErrorCode, responses: readonly TargetResponse[]): void {
    for (const response of responses) {
      expect.code(response, code)
      expect.same('the response', response.text, responses[0]?.text)
    }
  },

  /** Expects a 400 with details that name the field. */
  fieldRefused(response: TargetResponse, path: string): void {
    expect.refused(response, 400)
    expect.that(response, namesField(response, path), `details that name the field ${ownName(path)}`)
  },

  /** Expects a `validation_error` with details that name exactly these fields, by their dotted paths. */
  fieldsRefused(response: TargetResponse, ...paths: string[]): void {
    expect.code(response, 'validation_error')
    expect.same('the fields that the details name', fieldsOf(response).sort(), paths.toSorted())
  },

  /** Expects an `Allow` header with each of these methods. */
  allow(response: TargetResponse, ...methods: string[]): void {
    const allowed = response.headers.get('allow')?.split(/, */) ?? []
    const isAllowed = methods.every(each => allowed.includes(each))
    expect.that(response, isAllowed, `an Allow header with ${methods.join(', ')} (got ${allowed.join(', ') || 'none'})`)
  },

  /** Expects a 200 to a status update, as in 4.2, that repeats the lead and the status. */
  updated(response: TargetResponse, lead_id: string, status: string): void {
    const { json } = response
    expect.status(response, 200)
    expect.that(response, statusReply.safeParse(json).success, 'a response with lead_id and status (4.2)')
    expect.that(response, json.lead_id === lead_id, "the lead's lead_id")
    expect.that(response, json.status === status, `the reported status, ${status}`)
  },

  /** Expects a 200 to the pixel, as in 4.3, with this event and outcome. */
  event(response: TargetResponse, lead_id: string, event: PixelEvent, outcome: EventOutcome): void {
    const { json } = response
    expect.status(response, 200)
    expect.that(response, eventReply.safeParse(json).success, 'a response with lead_id, event and status (4.3)')
    expect.that(response, json.lead_id === lead_id, "the lead's lead_id")
    expect.that(response, json.event === event, `the event ${event}`)
    expect.that(response, json.status === outcome, `the status ${outcome}`)
  },
}

/** Returns the fields that an error's details name. */
export function fieldsOf({ json }: TargetResponse): string[] {
  return (json?.details ?? []).map(({ field }: { field: string }) => field)
}

/**
 * Returns true for a 400 with details that name the field. Compares only the field's own name, because path formats
 * differ.
 */
export function namesField(response: TargetResponse, path: string): boolean {
  return response.status === 400 && fieldsOf(response).some(field => field.includes(ownName(path)))
}

const ownName = (path: string) => path.split('.').findLast(name => !/^\d+$/.test(name)) ?? path

/** Returns true if a field is absent under either interpretation. */
export const isAbsent = (value: unknown) => value === undefined || value === null

const maxLetters = 300

/**
 * Describes a response in a report: its status and the start of its body, cut between words, because half a key would
 * not be redacted.
 */
export function describeResponse({ status, text }: TargetResponse): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const body = line.length > maxLetters ? `${line.slice(0, maxLetters).replace(/[^\s"'<>,{}[\]]*$/, '')}…` : line
  return body === '' ? `${status} without a body` : `${status} ${body}`
}
