import { canonicalUuid, type RejectionReason } from '@lead-distribution/contract'
import type { CallMeta, CallResult, OutcomeUnknownError } from '@lead-distribution/sdk-core'
import { assertConfig } from '@lead-distribution/sdk-core/errors'

interface Answered {
  /** HTTP status, harmless headers, attempts, id and duration of the call. */
  meta: CallMeta & { status: number }
  /** The response body as received, including fields that this version doesn't know. */
  raw: Readonly<Record<string, unknown>>
}

/**
 * An advertiser took the lead. Redirect the customer.
 * @category Results
 */ // Spec 1, 2.12
export interface Distributed extends Answered {
  /** An advertiser has the lead. */
  outcome: 'distributed'
  /** Id of the lead, a UUID in lower case; callbacks name it. */
  lead_id: string
  /** URL to send the customer to, as `new URL()` writes it; `raw.redirect_url` is the text as received. */
  redirect_url: RedirectUrl
}

/**
 * The lead was accepted, but no advertiser has it yet. Don't redirect the customer.
 * @category Results
 */ // Spec 1, 3
export interface New extends Answered {
  /** No advertiser has the lead yet. */
  outcome: 'new'
  /** Id of the lead, a UUID in lower case; callbacks name it. */
  lead_id: string
  /** Never set: don't redirect the customer. */
  redirect_url?: never
}

/**
 * The lead was rejected. Don't redirect the customer.
 * @category Results
 */ // Spec 2.12
export interface Rejected extends Answered {
  /** The service rejected the lead. */
  outcome: 'rejected'
  /** Id of the lead; null if it was rejected before it was created. */
  lead_id: string | null
  /** The reason. A newer service may have more reasons; null if it gave none. */
  rejection_reason: RejectionReason | (string & Record<never, never>) | null
  /** The status of the rejection: `200`, or `422` for missing consents or an unknown product. */ // Spec 4.1
  via: 'http_200' | 'http_422'
  /**
   * True if the customer already exists, and the existing lead may be your own, whose `redirect_url` is lost. Either this is
   * a `resubmission`, or the runtime may have sent the request twice: a browser, Electron, Deno over https or with a custom
   * `fetch`, or a runtime that we don't test.
   */
  possiblyOwnLead: boolean
  /** Never set: don't redirect the customer. */
  redirect_url?: never
}

/**
 * A response that this version doesn't know: a new status, or one whose fields are missing, such as `distributed` without
 * a valid `redirect_url`. Don't redirect the customer; look at `raw`.
 * @category Results
 */
export interface Unrecognized extends Answered {
  /** The response has a status or fields that this version doesn't know. */
  outcome: 'unrecognized'
  /** Id of the lead; null if the response has none. */
  lead_id: string | null
  /** The status as received; null if the response has none. */
  status: string | null
  /** Never set: don't redirect the customer. */
  redirect_url?: never
}

/**
 * The reply was lost: the lead may exist. This is not a rejection. Don't redirect the customer, and don't submit the lead
 * again blindly: if it exists, the service rejects the repeat as `customer_already_exists`. Wait for its callback, or
 * submit it again with `resubmission: true`.
 * @category Results
 */
export interface Unknown {
  /** The reply was lost, so the lead may exist. */
  outcome: 'unknown'
  /** The reason, with the id and the time of the call. */
  error: OutcomeUnknownError
  /** HTTP status if there was a response, attempts, id and duration of the call. */
  meta: CallMeta
  /** Never set: the reply held it. */
  lead_id?: never
  /** Never set: don't redirect the customer. */
  redirect_url?: never
}

/**
 * The result of a submission; a closed union, so a `switch` over `outcome` can be complete.
 * @category Results
 */
export type SubmitResult = Distributed | New | Rejected | Unrecognized | Unknown

declare const checked: unique symbol

/**
 * A checked http or https URL that the service sent for this lead. Only a {@link Distributed} result has one.
 * @category Results
 */
export type RedirectUrl = string & { readonly [checked]: 'RedirectUrl' }

/** Returns a URL that the customer can be sent to, in a form that every header can carry; undefined if it is not one. */
function redirectUrlOf(value: unknown): RedirectUrl | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined
  const { protocol, username, password, href } = new URL(value)
  return /^https?:$/.test(protocol) && !username && !password ? (href as RedirectUrl) : undefined
}

/** Returns true if an error response is a rejection after all: a `422` for missing consents or an unknown product. */ // Spec 4.1
export function isRejection(status: number, body: Record<string, unknown>): boolean {
  return status === 422 && (body.error === 'consents_missing' || body.error === 'invalid_product')
}

/** Reads the response of `POST /lead`. */ // Spec 2.12
export function readSubmission(
  { status: http, body, meta, mayBeResent }: CallResult,
  resubmission: boolean,
): SubmitResult {
  const status = textOf(body.status)
  const id = textOf(body.lead_id)
  // In lower case, as the callback receiver writes it, so that the two match.
  const lead_id = id && canonicalUuid(id)
  const answered = { meta, raw: body }
  const by422 = isRejection(http, body)
  if (by422 || status === 'rejected') {
    const rejection_reason = textOf(by422 ? body.error : body.rejection_reason)
    const possiblyOwnLead = (resubmission || mayBeResent) && rejection_reason === 'customer_already_exists'
    const via = by422 ? 'http_422' : 'http_200'
    return { outcome: 'rejected', lead_id, rejection_reason, via, possiblyOwnLead, ...answered }
  }
  if (lead_id !== null) {
    if (status === 'new') return { outcome: status, lead_id, ...answered }
    const redirect_url = redirectUrlOf(body.redirect_url)
    if (status === 'distributed' && redirect_url) return { outcome: status, lead_id, redirect_url, ...answered }
  }
  return { outcome: 'unrecognized', lead_id, status, ...answered }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/**
 * Creates the response that redirects the customer: a `303` to the lead's `redirect_url`, not to be cached. It takes only
 * a distributed lead. In a framework without `Response`, use its own redirect, such as
 * `response.redirect(303, result.redirect_url)` in Express; that too compiles only for a distributed lead.
 * @throws ConfigError plain JavaScript passed anything else.
 * @example
 * ```ts
 * import { redirectResponse } from '@lead-distribution/publisher-sdk'
 *
 * const result = await publisher.submit(lead)
 * if (result.outcome === 'distributed') respond(redirectResponse(result))
 * ```
 * @category Results
 */ // Spec 1
export function redirectResponse(to: Distributed): Response {
  const location = to?.outcome === 'distributed' && redirectUrlOf(to.redirect_url)
  assertConfig(
    location,
    'Only a distributed lead can be redirected. Check `outcome` first, and `await` the result if it is a promise.',
  )
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } })
}
