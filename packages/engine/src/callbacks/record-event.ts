import { callbackUrl } from '@lead-distribution/contract'
import type { Account } from '../account/account.ts'
import type { EventRecord } from '../event-record.ts'
import type { Ids } from '../ports/ids.ts'
import type { Tables } from '../ports/storage.ts'
import { callbackEventName } from './event-name.ts'

/**
 * Records an event and, in the same transaction, the callback that tells the publisher (Spec 6.2 rule 1).
 * False for the repeat of an event, whatever it was called this time (Spec 4.3 rule 3).
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
    // Due at once, also on a clock that stands still.
    due_at: event.recorded_at,
  })
  return true
}
