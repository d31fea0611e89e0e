import { callbackUrl, canonicalEvent, usageEvent } from '@lead-distribution/contract'
import type { Account } from '../account.ts'
import type { EventRecord } from '../lead-record.ts'
import type { Ids } from '../ports.ts'
import type { Settings } from '../settings.ts'
import type { Tables } from '../storage.ts'

/**
 * Records an event and, in the same transaction, the callback that notifies the publisher (Spec 6.2 rule 1).
 * False for the repeat of an event, whatever its name was this time (Spec 4.3 rule 3).
 */
export async function recordEvent(tables: Tables, account: Account, ids: Ids, event: EventRecord): Promise<boolean> {
  if (!(await tables.claimEvent(event))) return false
  const name = callbackEventName(event.reported_as, account.settings.callback_event_names)
  await tables.addCallback({
    callback_id: ids.callback(),
    lead_id: event.lead_id,
    event: name,
    url: callbackUrl(account.publisher.callback_url, event.lead_id, name),
    state: 'pending',
    attempts: [],
    // Due at once, also on a frozen clock.
    due_at: event.recorded_at,
  })
  return true
}

/** The name that a callback carries for an event (Spec 6.1, 6.2; point 6 of the open points). */
export function callbackEventName(reportedAs: string, names: Settings['callback_event_names']): string {
  if (names === 'as_reported') return reportedAs
  return names === 'usage' ? usageEvent(reportedAs) : canonicalEvent(reportedAs)
}
