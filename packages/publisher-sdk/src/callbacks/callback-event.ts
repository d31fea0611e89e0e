import { canonicalEvent, convertedStatus, isUuid, type PixelEvent, pixelEvents } from '@lead-distribution/contract'

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

/**
 * Takes one callback. A promise is waited for, and what it gives is not looked at. What it throws makes the reply a
 * `500`, and the service sends the callback again.
 */
export type CallbackHandler<Event extends CallbackEvent> = (event: Event) => unknown

/** Reads the query of a callback (Spec 6.2). A text says what is wrong with it. */
export function readCallback<Sureness extends Assurance>(
  query: URLSearchParams,
  assurance: Sureness,
): CallbackEvent<Sureness> | string {
  const names = [...query.keys()]
  // Two values of one name are read differently by different parsers: a check could see another value than the handler.
  if (new Set(names).size !== names.length) return 'a parameter is repeated'
  const lead_id = query.get('lead_id') ?? ''
  const rawEvent = query.get('event') ?? ''
  if (!isUuid(lead_id)) return '`lead_id` is not a UUID'
  if (!/^[^\p{Cc}]{1,100}$/u.test(rawEvent)) return '`event` is missing or no event name'
  const canonical = canonicalEvent(rawEvent)
  return {
    lead_id: lead_id.toLowerCase(),
    event: isKnownEvent(canonical) ? canonical : 'unrecognized',
    rawEvent,
    assurance,
  }
}

function isKnownEvent(name: string): name is CallbackEventName {
  return name === convertedStatus || (pixelEvents as readonly string[]).includes(name)
}
