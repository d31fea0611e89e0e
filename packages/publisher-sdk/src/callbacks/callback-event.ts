import type { convertedStatus, PixelEvent } from '@lead-distribution/contract'

/**
 * How sure it is that a callback is genuine. `signature`: it was signed with the shared secret. `url_secret`:
 * its sender knows the URL, which proves knowledge of the URL, not authorship. `none`: anyone may have sent it.
 */
export type Assurance = 'signature' | 'url_secret' | 'none'

/** What happened to a lead, by the one name that both vocabularies of the specification come down to (Spec 6.1). */
export type CallbackEventName = PixelEvent | typeof convertedStatus

/** A callback of the service (Spec 6.2). */
export interface CallbackEvent<Sureness extends Assurance = Assurance> {
  /** Id of the lead, a UUID in lower case. */
  readonly lead_id: string
  /** What happened; `loan_issued` is `approved` here. `unrecognized`: a name that this version does not know. */
  readonly event: CallbackEventName | 'unrecognized'
  /** The name as it came. */
  readonly rawEvent: string
  /** How sure it is that the callback is genuine. */
  readonly assurance: Sureness
}

/** A callback whose sender proved something. */
export type VerifiedCallbackEvent = CallbackEvent<'signature' | 'url_secret'>
