import {
  convertedStatus,
  type EventName,
  knownStatuses,
  type PixelEvent,
  pixelEvents,
  type UsageEvent,
  usageEvents,
} from '@lead-distribution/contract'

/**
 * Which of the specification's two lists of event names a client speaks: `enum` (`approved`), `usage`
 * (`loan_issued`), `known` (either), or `any` text, for statuses agreed with the service's operator. One list a
 * client, so that one event is not reported under two names.
 */ // Spec 6.1
export type Vocabulary = 'enum' | 'usage' | 'known' | 'any'

/** Every vocabulary. */
export const vocabularies: readonly Vocabulary[] = ['enum', 'usage', 'known', 'any']

/** The events that a postback URL of this vocabulary may report. */ // Spec 4.3
export type EventOf<Names extends Vocabulary> = Names extends 'enum'
  ? PixelEvent
  : Names extends 'usage'
    ? UsageEvent
    : PixelEvent | UsageEvent

/** The statuses that a JSON call of this vocabulary may report. */ // Spec 4.2
export type StatusOf<Names extends Vocabulary> = Names extends 'any'
  ? string
  : Names extends 'known'
    ? EventName
    : EventOf<Names> | typeof convertedStatus

/** The statuses of a vocabulary; `undefined` where any text is one. */
export function statusesOf(vocabulary: Vocabulary): readonly string[] | undefined {
  if (vocabulary === 'any') return undefined
  return vocabulary === 'known' ? knownStatuses : [convertedStatus, ...eventsOf(vocabulary)]
}

/** The events of a vocabulary that a postback URL may carry. */
export function eventsOf(vocabulary: Vocabulary): readonly string[] {
  if (vocabulary === 'enum') return pixelEvents
  return vocabulary === 'usage' ? usageEvents : [...new Set([...pixelEvents, ...usageEvents])]
}
