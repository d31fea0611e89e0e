import { canonicalEvent, type RejectionReason, rejectionReasons } from '@lead-distribution/contract'
import type { FakeReply } from './fake-reply.ts'
import type { FakeRequest } from './fake-request.ts'

/** A reply that is JSON. */
export interface JsonReply {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

/** The refusals that create no lead: their replies carry no `lead_id` (Spec 2.12). */
const withoutLead: readonly string[] = [
  'customer_already_exists',
  'duplicate_submission',
  'consents_missing',
  'invalid_product',
] satisfies RejectionReason[]

/** Serves a request that is right, and keeps in `reported` what was reported; a submission as the word says. */
export function serve(request: FakeRequest, word: FakeReply | undefined, reported: Set<string>): JsonReply {
  return { status: 200, body: request.operation === 'submitLead' ? leadReply(word) : reportReply(request, reported) }
}

function leadReply(word: FakeReply | undefined): object {
  const lead_id = crypto.randomUUID()
  if (word === 'new') return { lead_id, status: 'new' }
  if (word === 'unknown_status') return { lead_id, status: 'a_status_of_tomorrow' }
  if (word === 'unknown_reason') return { lead_id, status: 'rejected', rejection_reason: 'a_reason_of_tomorrow' }
  const rejection_reason = rejectionReasons.find(reason => reason === word)
  if (rejection_reason && withoutLead.includes(rejection_reason)) return { status: 'rejected', rejection_reason }
  if (rejection_reason) return { lead_id, status: 'rejected', rejection_reason }
  return { lead_id, status: 'distributed', redirect_url: `https://lender.example/apply/${lead_id}` }
}

function reportReply({ operation, lead_id: id = '', query, body }: FakeRequest, reported: Set<string>): object {
  const lead_id = id.toLowerCase()
  const { status: told } = operation === 'reportStatus' ? (body as { status: string }) : { status: query.event ?? '' }
  const event = canonicalEvent(told)
  // One event, whichever of the two calls told of it and by which of its names (Spec 6.1).
  const status = reported.has(`${lead_id} ${event}`) ? 'ignored' : 'received'
  reported.add(`${lead_id} ${event}`)
  return operation === 'reportStatus' ? { lead_id, status: told } : { lead_id, event, status }
}
