import type { EventOutcome, PixelEvent } from '@lead-distribution/contract'
import { errorResponse, eventReply, statusReply } from '@lead-distribution/contract/shapes'
import type { Reply } from '../target.ts'
import { expectOf, expectStatus } from './expect-reply.ts'

/**
 * Sees that a status by body was taken: a 200 in the shape of 4.2 that repeats lead and status.
 * @throws {Mismatch} where it was not.
 */
export function expectTaken(reply: Reply, lead_id: string, status: string): void {
  expectStatus(reply, 200)
  expectOf(reply, statusReply.safeParse(reply.json).success, 'a reply with lead_id and status (4.2)')
  expectOf(reply, reply.json.lead_id === lead_id, 'the lead_id of the lead')
  expectOf(reply, reply.json.status === status, `the reported status, ${status}`)
}

/**
 * Sees that a pixel call was answered with this event and outcome, in the shape of 4.3.
 * @throws {Mismatch} where it was not.
 */
export function expectEvent(reply: Reply, lead_id: string, event: PixelEvent, outcome: EventOutcome): void {
  expectStatus(reply, 200)
  expectOf(reply, eventReply.safeParse(reply.json).success, 'a reply with lead_id, event and status (4.3)')
  expectOf(reply, reply.json.lead_id === lead_id, 'the lead_id of the lead')
  expectOf(reply, reply.json.event === event, `the event ${event}`)
  expectOf(reply, reply.json.status === outcome, `the status ${outcome}`)
}

/**
 * Sees that a report is refused, by whichever status of the caller's faults, with a body of 2.13: the specification
 * shows no status codes here.
 * @throws {Mismatch} where it is not.
 */
export function expectSomeRefusal(reply: Reply): void {
  expectOf(reply, reply.status >= 400 && reply.status < 500, 'a refusal, from 400 to 499')
  expectOf(reply, errorResponse.safeParse(reply.json).success, 'a body in the shape of ErrorResponse (2.13)')
}
