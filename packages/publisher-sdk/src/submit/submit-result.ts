import { canonicalUuid, type RejectionReason } from '@lead-distribution/contract'
import type { CallMeta, CallResult, OutcomeUnknownError } from '@lead-distribution/sdk-core'
import { assertConfig } from '@lead-distribution/sdk-core/errors'

interface Answered {
  /** HTTP status, safe headers, attempts, id and duration of the call. */
  meta: CallMeta & { status: number }
  /** The response body as received, including fields that this version doesn't know. */
  raw: Readonly<Record<string, unknown>>
}

/**
 * An advertiser accepted the lead. Redirect the customer.
 * @category Results
 */ // Spec 1, 2.12
export interface Distributed extends Answered {
  /** An advertiser accepted the lead. */
  outcome: 'distributed'
  /** Id of the lead, a UUID in lower case; its callbacks carry it. */
  lead_id: string
  /** URL to redirect the customer to, normalized by `new URL()`; `raw.redirect_url` is the text as received. */
  redirect_url: RedirectUrl
}

/**
 * The service stored the lead, but no advertiser has it yet. Don't redirect the customer.
 * @category Results
 */ // Spec 1, 3
export interface New extends Answered {
  /** No advertiser has the lead yet. */
  outcome: 'new'
  /** Id of the lead, a UUID in lower case; its callbacks carry it. */
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
  /** Id of the lead; null if the lead was rejected before it was created. */
  lead_id: string | null
  /** The reason; a newer service may send others. Null if the response has none. */
  rejection_reason: RejectionReason | (string & Record<never, never>) | null
  /** The source of the rejection: a `200` response, or a `422` for missing consents or an unknown product. */ // Spec 4.1
  via: 'http_200' | 'http_422'
  /**
   * True if the customer already exists and the existing lead may be your own. Its `redirect_url` is lost then. Either
   * this is a `resubmission`, or the runtime may have sent the request twice: a browser, Electron, Deno over https or
   * with a custom `fetch`, or a runtime that we don't test.
   */
  possiblyOwnLead: boolean
  /** Never set: don't redirect the customer. */
  redirect_url?: never
}

/**
 * A response that this version doesn't know: an unknown status, or missing fields, such as `distributed` without a
 * valid `redirect_url`. Don't redirect the customer; inspect `raw`.
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
 * The reply was lost: the lead may exist. This is not a rejection. Don't redirect the customer, and don't retry the
 * submission blindly: if the lead exists, the service rejects the repeat as `customer_already_exists`. Wait for the
 * lead's callback, or submit it again with `resubmission: true`.
 * @category Results
 */
export interface Unknown {
  /** The reply was lost, and the lead may exist. */
  outcome: 'unknown'
  /** The error behind the lost reply, with the call's id and time. */
  error: OutcomeUnknownError
  /** Attempts, id and duration of the call, and the HTTP status if there was a response. */
  meta: CallMeta
  /** Never set: the lost reply contained it. */
  lead_id?: never
  /** Never set: don't redirect the customer. */
  redirect_url?: never
}

/**
 * The result of a submission: a closed union, so a `switch` over `outcome` can be exhaustive.
 * @category Results
 */
export type SubmitResult = Distributed | New | Rejected | Unrecognized | Unknown

declare const checked: unique symbol

/**
 * A validated http or https URL from the service. Only a {@link Distributed} result has one.
 * @category Results
 */
export type RedirectUrl = string & { readonly [checked]: 'RedirectUrl' }

/** Returns a redirect URL in a form that every header can carry; undefined if the value is not a usable one. */
function redirectUrlOf(value: unknown): RedirectUrl | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined
  const { protocol, username, password, href } = new URL(value)
  return /^https?:$/.test(protocol) && !username && !password ? (href as RedirectUrl) : undefined
}

/** Returns true for an error response that is a rejection: a `422` for missing consents or an unknown product. */ // Spec 4.1
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
  // In lower case, to match the ids from the callback receiver.
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
 * Creates a response that redirects the customer: an uncacheable `303` to the lead's `redirect_url`. It accepts only a
 * distributed lead. In a framework without `Response`, use the framework's own redirect, such as
 * `response.redirect(303, result.redirect_url)` in Express; that compiles only for a distributed lead too.
 * @throws ConfigError `to` is not a distributed lead (in plain JavaScript).
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
