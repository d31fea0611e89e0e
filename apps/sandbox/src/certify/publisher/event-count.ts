import { canonicalEvent, usageEvent } from '@lead-distribution/contract'

/** How often a text names an event, by either of its names: `approved` and `loan_issued` are one (Spec 6.1). */
export function eventCount(text: string, event: string): number {
  const names = new Set([canonicalEvent(event), usageEvent(event)])
  return text.split(/[^\w-]+/).filter(word => names.has(word.toLowerCase())).length
}
