import type { LeadStatus, RejectionReason } from '@lead-distribution/contract'
import { leadResponse } from '@lead-distribution/contract/shapes'
import type { Reply } from '../target.ts'
import { expectOf, expectStatus } from './expect-reply.ts'

/** A field that is not there, under either reading of how that is written. */
export const isAbsent = (value: unknown) => value === undefined || value === null

/**
 * Sees that a submission was judged: a 200 in the shape of 2.12, with this status where one is named, and with the
 * fields of that status and no others.
 * @throws {Mismatch} where it was not.
 */
export function expectLead(reply: Reply, status?: LeadStatus): void {
  expectStatus(reply, 200)
  expectOf(reply, leadResponse.safeParse(reply.json).success, 'a reply in the shape of LeadResponse (2.12)')
  const { json } = reply
  if (status) expectOf(reply, json.status === status, `the status ${status}`)
  const isCreated = json.status !== 'rejected'
  if (isCreated) expectOf(reply, !isAbsent(json.lead_id), 'a lead_id')
  expectOf(
    reply,
    isAbsent(json.redirect_url) === (json.status !== 'distributed'),
    'a redirect_url for a distributed lead, and for no other',
  )
  expectOf(
    reply,
    isAbsent(json.rejection_reason) === isCreated,
    'a rejection_reason for a rejected lead, and for no other',
  )
}

/**
 * Sees that a lead is rejected for this reason.
 * @throws {Mismatch} where it is not.
 */
export function expectRejected(reply: Reply, reason: RejectionReason): void {
  expectLead(reply, 'rejected')
  expectOf(reply, reply.json.rejection_reason === reason, `the rejection_reason ${reason}`)
}
