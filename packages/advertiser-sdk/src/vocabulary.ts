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
 * The vocabulary of a client, from the specification's two lists of event names: `enum` (`approved`), `usage`
 * (`loan_issued`), `known` (either), or `any` text, for statuses that you agreed on with the service's operator. A client
 * has one vocabulary, so that it doesn't report one event under two names.
 */ // Spec 6.1
export type Vocabulary = 'enum' | 'usage' | 'known' | 'any'

/** Every vocabulary. */
export const vocabularies: readonly Vocabulary[] = ['enum', 'usage', 'known', 'any']

/** The events that a postback URL of this vocabulary may report. @inline */ // Spec 4.3
export type EventOf<Names extends Vocabulary> = Names extends 'enum'
  ? PixelEvent
  : Names extends 'usage'
    ? UsageEvent
    : PixelEvent | UsageEvent

/** The statuses that a JSON call of this vocabulary may report. @inline */ // Spec 4.2
export type StatusOf<Names extends Vocabulary> = Names extends 'any'
  ? string
  : Names extends 'known'
    ? EventName
    : EventOf<Names> | typeof convertedStatus

/** Returns the statuses of a vocabulary; undefined if any text is one. */
export function statusesOf(vocabulary: Vocabulary): readonly string[] | undefined {
  if (vocabulary === 'any') return undefined
  return vocabulary === 'known' ? knownStatuses : [convertedStatus, ...eventsOf(vocabulary)]
}

/** Returns the events of a vocabulary that a postback URL may have. */
export function eventsOf(vocabulary: Vocabulary): readonly string[] {
  if (vocabulary === 'enum') return pixelEvents
  return vocabulary === 'usage' ? usageEvents : [...new Set([...pixelEvents, ...usageEvents])]
}
