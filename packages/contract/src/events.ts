/** Event names of the pixel's `event` parameter. */ // Spec 4.3, 6.1
export const pixelEvents = ['registration', 'approved', 'rejected', 'completed', 'defaulted'] as const
/** Event name of the pixel's `event` parameter. */ // Spec 4.3, 6.1
export type PixelEvent = (typeof pixelEvents)[number]

/** The alternative names of the usage table, also used by the publisher's callback examples. */ // Spec 6.1
export const usageEvents = ['registration', 'loan_issued', 'loan_rejected', 'loan_paid', 'loan_defaulted'] as const
/** Event name of the usage table. */ // Spec 6.1
export type UsageEvent = (typeof usageEvents)[number]

/** The status that the body form's example reports. An event apart from the others, and no pixel event. */ // Spec 4.2
export const convertedStatus = 'converted'

/** Every event name that the specification knows, in either vocabulary. */
export type EventName = PixelEvent | UsageEvent | typeof convertedStatus

/** The usage-table name of each pixel event: one event, two names. */ // Spec 6.1
export const usageNameOf = {
  registration: 'registration',
  approved: 'loan_issued',
  rejected: 'loan_rejected',
  completed: 'loan_paid',
  defaulted: 'loan_defaulted',
} as const satisfies Record<PixelEvent, UsageEvent>

/** The pixel name of each usage-table event. */
export const pixelNameOf = {
  registration: 'registration',
  loan_issued: 'approved',
  loan_rejected: 'rejected',
  loan_paid: 'completed',
  loan_defaulted: 'defaulted',
} as const satisfies Record<UsageEvent, PixelEvent>

/** Every name that `event` of the pixel may carry: the enumeration and its alternatives. */ // Spec 6.1
export const acceptedPixelEvents = [...new Set([...pixelEvents, ...usageEvents])] as readonly (
  | PixelEvent
  | UsageEvent
)[]

/** Every name that `status` of the body form may carry when only known ones are accepted. */ // Spec 4.2
export const knownStatuses = [convertedStatus, ...acceptedPixelEvents] as readonly EventName[]

/**
 * The name that identifies an event: the pixel's name for an event of either list, and any other name unchanged.
 * `loan_issued` and `approved` give `approved`.
 */
export function canonicalEvent(name: string): string {
  return Object.hasOwn(pixelNameOf, name) ? pixelNameOf[name as UsageEvent] : name
}

/** The usage table's name for an event of either list, and any other name unchanged. */
export function usageEvent(name: string): string {
  const canonical = canonicalEvent(name)
  return Object.hasOwn(usageNameOf, canonical) ? usageNameOf[canonical as PixelEvent] : canonical
}
