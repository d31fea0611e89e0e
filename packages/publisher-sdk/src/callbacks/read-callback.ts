import { canonicalEvent, convertedStatus, isUuid, pixelEvents } from '@lead-distribution/contract'
import type { Assurance, CallbackEvent, CallbackEventName } from './callback-event.ts'

/** Reads the query of a callback (Spec 6.2). A text says what is wrong with it. */
export function readCallback<Sureness extends Assurance>(
  query: URLSearchParams,
  assurance: Sureness,
): CallbackEvent<Sureness> | string {
  const names = [...query.keys()]
  // Two values of one name are read differently by different parsers: whoever checks would not see what is used.
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
