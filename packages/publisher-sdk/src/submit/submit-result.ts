import { isUuid, type RejectionReason } from '@lead-distribution/contract'
import type { CallResult, Open, ReplyMeta } from '@lead-distribution/sdk-core'
import { assertConfig } from '@lead-distribution/sdk-core/errors'

interface Replied {
  /** HTTP status, harmless headers, attempts, id and duration of the call. */
  meta: ReplyMeta
  /** The reply as it came; fields that are new here are found in it. */
  raw: Readonly<Record<string, unknown>>
}

/** An advertiser took the lead: redirect the customer. */ // Spec 1, 2.12
export interface Distributed extends Replied {
  /** An advertiser has the lead. */
  outcome: 'distributed'
  /** Id of the lead, a UUID in lower case; callbacks name it. */
  lead_id: string
  /** Where to send the customer, as `new URL()` writes it; `raw.redirect_url` is the text as it came. */
  redirect_url: RedirectUrl
}

/** The lead is taken, and no advertiser has it yet: do not redirect. */ // Spec 1, 3
export interface New extends Replied {
  /** No advertiser has the lead yet. */
  outcome: 'new'
  /** Id of the lead, a UUID in lower case; callbacks name it. */
  lead_id: string
  /** None: the customer is not redirected. */
  redirect_url?: never
}

/** The lead is refused for a reason of business: do not redirect. */ // Spec 2.12
export interface Rejected extends Replied {
  /** A rejection reason applies. */
  outcome: 'rejected'
  /** Id of the lead; null where it was refused before it was created. */
  lead_id: string | null
  /** Why. A newer service may know more reasons; null where it gave none. */
  rejection_reason: Open<RejectionReason> | null
  /** How the service said it: as a `200` reply, or as a `422` of missing consents or an unknown product. */ // Spec 4.1
  via: 'http_200' | 'http_422'
  /**
   * The customer exists already, and the lead that exists may be the caller's own, whose `redirect_url` is lost: the
   * submission named an earlier attempt whose outcome is unknown (`previousAttempt`), or it ran where a request may be
   * sent twice without us: in a browser, on Deno over https or with a custom `fetch`, on Node after a `421`, on a runtime
   * that we do not test.
   */
  mayBeOwnEarlierAttempt: boolean
  /** None: the customer is not redirected. */
  redirect_url?: never
}

/**
 * A reply that this version does not know: a new status, or one whose fields are missing, such as
 * `distributed` without an address to redirect to. Do not redirect; look at `raw`.
 */
export interface Unrecognized extends Replied {
  /** The status is none that this version knows. */
  outcome: 'unrecognized'
  /** Id of the lead, where the reply showed one. */
  lead_id: string | null
  /** The status as it came; null where the reply showed none. */
  status: string | null
  /** None: the customer is not redirected. */
  redirect_url?: never
}

/** The result of a submission; closed, so that a `switch` over `outcome` can be complete. */
export type SubmitResult = Distributed | New | Rejected | Unrecognized

declare const checked: unique symbol

/** An address that the service gave for this very lead, checked to be http or https. Only a result carries one. */
export type RedirectUrl = string & { readonly [checked]: 'RedirectUrl' }

/** The address that a customer can be sent to, as every header can carry it; undefined where a value is none. */
function redirectUrlOf(value: unknown): RedirectUrl | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined
  const { protocol, username, password, href } = new URL(value)
  return /^https?:$/.test(protocol) && !username && !password ? (href as RedirectUrl) : undefined
}

/** Whether an error reply is a rejection after all: a `422` of missing consents or an unknown product. */ // Spec 4.1
export function isRejection(status: number, body: Record<string, unknown>): boolean {
  return status === 422 && (body.error === 'consents_missing' || body.error === 'invalid_product')
}

/** Reads the reply of `POST /lead`. `resubmitted`: the client named an earlier attempt. */ // Spec 2.12
export function readSubmission(
  { status: http, body, meta, mayBeResent }: CallResult,
  resubmitted: boolean,
): SubmitResult {
  const status = textOf(body.status)
  const id = textOf(body.lead_id)
  // As the receiver of callbacks writes it, so that the one is found by the other.
  const lead_id = id && isUuid(id) ? id.toLowerCase() : id
  const replied = { meta, raw: body }
  const refused = isRejection(http, body)
  if (refused || status === 'rejected') {
    const rejection_reason = textOf(refused ? body.error : body.rejection_reason)
    const mayBeOwnEarlierAttempt = (resubmitted || mayBeResent) && rejection_reason === 'customer_already_exists'
    const via = refused ? 'http_422' : 'http_200'
    return { outcome: 'rejected', lead_id, rejection_reason, via, mayBeOwnEarlierAttempt, ...replied }
  }
  if (lead_id !== null) {
    if (status === 'new') return { outcome: status, lead_id, ...replied }
    const redirect_url = redirectUrlOf(body.redirect_url)
    if (status === 'distributed' && redirect_url) return { outcome: status, lead_id, redirect_url, ...replied }
  }
  return { outcome: 'unrecognized', lead_id, status, ...replied }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/**
 * The reply that sends the customer on: `303` to the lead's `redirect_url`, not to be cached. Takes nothing but
 * a distributed lead, for no other one may be redirected. A framework without `Response` redirects by its own
 * means, `response.redirect(303, result.redirect_url)` in Express: that compiles only for a distributed lead, too.
 * @throws ConfigError where plain JavaScript hands over anything else.
 * @example
 * ```ts
 * import { redirectResponse } from '@lead-distribution/publisher-sdk'
 *
 * const result = await publisher.submit(lead)
 * if (result.outcome === 'distributed') respond(redirectResponse(result))
 * ```
 */ // Spec 1
export function redirectResponse(to: Distributed): Response {
  const location = to?.outcome === 'distributed' && redirectUrlOf(to.redirect_url)
  assertConfig(location, 'Only a distributed lead is redirected. Look at `outcome` first; of a promise, `await` it.')
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } })
}
