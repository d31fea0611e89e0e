import { canonicalEvent, type RejectionReason, rejectionReasons } from '@lead-distribution/contract'
import { forcedRefusal, scenarioWords } from '@lead-distribution/test-leads'
import { type FakeRequest, type JsonReply, notAllowed } from './fake-request.ts'

/** Replies of a fake service besides the scenarios of a sandbox. */
const moreWords = [
  'http_400',
  'http_404',
  'http_405',
  'http_502',
  'http_504',
  /** A `429` with `Retry-After: 1`. */
  'rate_limited',
  /** The connection is refused: the request is not sent. */
  'refused',
  /** The connection breaks, and nothing is done. */
  'reset',
  /** All is done, and half of the reply arrives. */
  'malformed',
  /** A status of a lead that no version of this package knows. */
  'unknown_status',
  /** A rejection reason that no version of this package knows. */
  'unknown_reason',
] as const

/**
 * Every reply of a fake service by name: an outcome of a submission (`new`, `distributed`, each rejection reason), an
 * error (`http_500`), or a fault of the connection: `refused` before anything is sent, `reset` and `timeout` with
 * nothing done, `lost_reply` and `malformed` with all done.
 */
export const fakeWords = [...scenarioWords, ...moreWords] as const

/** The name of a reply of a fake service. */
export type FakeWord = (typeof fakeWords)[number]

/** The reply to a call: its name, a `Response`, or a function that makes one of the request. */
export type FakeReply = FakeWord | Response | ((request: FakeRequest) => Response | Promise<Response>)

/** The outcomes of a lead: they wait for a submission. */
const leadOutcomes = ['new', 'distributed', ...rejectionReasons, 'unknown_status', 'unknown_reason'] as const

/** An outcome of a lead. */
export type LeadOutcome = (typeof leadOutcomes)[number]

/** Whether a reply is an outcome of a lead, so that a status call has no use for it. */
export function isLeadOutcome(reply: FakeReply | undefined): reply is LeadOutcome {
  return (leadOutcomes as readonly unknown[]).includes(reply)
}

/** Makes the response of a reply. `serve` processes the request; faults with nothing done do not call it. */
export async function respond(
  reply: FakeReply | undefined,
  request: FakeRequest,
  serve: () => JsonReply,
): Promise<Response> {
  if (typeof reply === 'function') return reply(request)
  if (typeof reply === 'object') return reply.clone()
  if (reply === 'timeout') return new Promise(() => {})
  if (reply === 'reset') throw broken()
  const { status, body, headers } = refusalOf(reply, request.method) ?? serve()
  if (reply === 'lost_reply') throw broken()
  const text = JSON.stringify(body)
  return new Response(reply === 'malformed' ? text.slice(0, text.length / 2) : text, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  })
}

/** The reply of a forced error; undefined for any other reply. */
function refusalOf(reply: FakeReply | undefined, method: string): JsonReply | undefined {
  if (reply === 'rate_limited') return { ...forcedRefusal(429), headers: { 'retry-after': '1' } }
  if (reply === 'http_405') return notAllowed(['GET', 'POST', 'PATCH'].filter(other => other !== method))
  const status = /^http_(\d+)$/.exec(String(reply))?.[1]
  return status === undefined ? undefined : forcedRefusal(Number(status))
}

function broken() {
  return networkError('ECONNRESET', 'the fake service broke the connection, as the test set')
}

/** The refusals that create no lead: their replies carry no `lead_id`. */ // Spec 2.12
const withoutLead: readonly string[] = [
  'customer_already_exists',
  'duplicate_submission',
  'consents_missing',
  'invalid_product',
] satisfies RejectionReason[]

/** Serves a valid request, and remembers reports in `reported`; a submission gets the outcome of the reply. */
export function serve(request: FakeRequest, reply: FakeReply | undefined, reported: Set<string>): JsonReply {
  return { status: 200, body: request.operation === 'submitLead' ? leadReply(reply) : reportReply(request, reported) }
}

function leadReply(reply: FakeReply | undefined): object {
  const lead_id = crypto.randomUUID()
  if (reply === 'new') return { lead_id, status: 'new' }
  if (reply === 'unknown_status') return { lead_id, status: 'a_status_of_tomorrow' }
  if (reply === 'unknown_reason') return { lead_id, status: 'rejected', rejection_reason: 'a_reason_of_tomorrow' }
  const rejection_reason = rejectionReasons.find(reason => reason === reply)
  if (rejection_reason && withoutLead.includes(rejection_reason)) return { status: 'rejected', rejection_reason }
  if (rejection_reason) return { lead_id, status: 'rejected', rejection_reason }
  return { lead_id, status: 'distributed', redirect_url: `https://advertiser.example/apply/${lead_id}` }
}

function reportReply({ operation, lead_id: id = '', query, body }: FakeRequest, reported: Set<string>): object {
  const lead_id = id.toLowerCase()
  const { status: reportedAs } =
    operation === 'reportStatus' ? (body as { status: string }) : { status: query.event ?? '' }
  const event = canonicalEvent(reportedAs)
  // One event, by either of the two calls and either of its names (Spec 6.1).
  const status = reported.has(`${lead_id} ${event}`) ? 'ignored' : 'received'
  reported.add(`${lead_id} ${event}`)
  return operation === 'reportStatus' ? { lead_id, status: reportedAs } : { lead_id, event, status }
}

/** What `fetch` rejects with where the network fails, in the form of Node: the code is in its `cause`. */
export function networkError(code: 'ECONNREFUSED' | 'ECONNRESET' | 'ENOTFOUND', why: string): TypeError {
  const syscall = { ECONNREFUSED: 'connect', ECONNRESET: 'read', ENOTFOUND: 'getaddrinfo' }[code]
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`${code}: ${why}`), { code, syscall }) })
}
