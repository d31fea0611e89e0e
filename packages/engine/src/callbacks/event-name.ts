import { canonicalEvent, usageEvent } from '@lead-distribution/contract'
import type { Settings } from '../settings.ts'

/** The name that a callback carries for an event (Spec 6.1, 6.2; point 6). */
export function callbackEventName(reportedAs: string, names: Settings['callback_event_names']): string {
  if (names === 'as_reported') return reportedAs
  return names === 'usage' ? usageEvent(reportedAs) : canonicalEvent(reportedAs)
}
