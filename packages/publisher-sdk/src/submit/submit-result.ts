import type { RejectionReason } from '@lead-distribution/contract'
import type { Open, ReplyMeta } from '@lead-distribution/sdk-core'
import type { RedirectUrl } from './redirect-url.ts'

interface Replied {
  /** HTTP status, harmless headers, attempts, id and duration of the call. */
  meta: ReplyMeta
  /** The reply as it came; fields that are new here are found in it. */
  raw: Readonly<Record<string, unknown>>
}

/** An advertiser took the lead: redirect the customer (Spec 1, 2.12). */
export interface Distributed extends Replied {
  outcome: 'distributed'
  /** Id of the lead, a UUID in lower case; callbacks name it. */
  lead_id: string
  /** Where to send the customer. */
  redirect_url: RedirectUrl
}

/** The lead is taken, and no advertiser has it yet: do not redirect (Spec 1, 3). */
export interface New extends Replied {
  outcome: 'new'
  /** Id of the lead, a UUID in lower case; callbacks name it. */
  lead_id: string
  redirect_url?: never
}

/** The lead is refused for a reason of business: do not redirect (Spec 2.12). */
export interface Rejected extends Replied {
  outcome: 'rejected'
  /** Id of the lead; null where it was refused before it was created. */
  lead_id: string | null
  /** Why. A newer service may know more reasons; null where it gave none. */
  rejection_reason: Open<RejectionReason> | null
  /** How the service said it: as a `200` reply, or as a `422` of missing consents or an unknown product (Spec 4.1). */
  via: 'http_200' | 'http_422'
  /**
   * The customer exists already, and the submission named an earlier attempt whose outcome is unknown
   * (`after`): the lead that exists may be the caller's own, and its `redirect_url` is lost.
   */
  mayBeOwnEarlierAttempt: boolean
  redirect_url?: never
}

/**
 * A reply that this version does not know: a new status, or one whose fields are missing, such as
 * `distributed` without an address to redirect to. Do not redirect; look at `raw`.
 */
export interface Unrecognized extends Replied {
  outcome: 'unrecognized'
  /** Id of the lead, where the reply showed one. */
  lead_id: string | null
  /** The status as it came; null where the reply showed none. */
  status: string | null
  redirect_url?: never
}

/** What became of a submission; closed, so that a `switch` over `outcome` can be complete. */
export type SubmitResult = Distributed | New | Rejected | Unrecognized
