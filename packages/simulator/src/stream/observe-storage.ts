import type { Clock, Storage } from '@lead-distribution/engine'
import type { FaultRecord, InboxMode } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import type { StreamEvent } from '../storage/shared-storage.ts'
import type { Holding } from '../storage/tenant-record.ts'
import type { ClockState } from '../time/clock.ts'
import type { Change, EventStreams } from './event-streams.ts'

/** The streams for a tenant's changes, with times from its clock. */
export interface Feed {
  readonly streams: EventStreams
  readonly tenant: string
  readonly clock: Clock
}

/**
 * Wraps a storage to publish the changes of each transaction after its commit. This is the only place that publishes, so
 * no write is missed. If processes share the storage, events are stored together with the changes, and every process,
 * including this one, reads them from there. Unwatched transactions run unwrapped.
 */
export function observeStorage(
  storage: Storage<SandboxTables>,
  feed: Feed,
  holding: () => Holding,
): Storage<SandboxTables> {
  const { streams, tenant } = feed
  return {
    transact(work) {
      if (!streams.isWatched(tenant)) return storage.transact(work)
      let events: readonly StreamEvent[] = []
      const observed = async (tables: SandboxTables) => {
        const { recording, changed } = recordChanges(tables, holding, streams.isMultiProcess)
        const result = await work(recording)
        // The work may be retried from its beginning; only the changes of the committed run count.
        events = streams.eventsOf(feed, await changed())
        if (streams.isMultiProcess && events.length > 0) await tables.addStreamEvents(events)
        return result
      }
      return storage.transact(observed).then(result => {
        streams.addCommitted(events)
        return result
      })
    },
    read: storage.read,
  }
}

/** Wraps tables to record changes. If processes share the storage, each reads calls from the journal instead. */
function recordChanges(tables: SandboxTables, holding: () => Holding, isMultiProcess: boolean) {
  const changes: Change[] = []
  const callbacks = new Set<string>()
  const recording: Partial<SandboxTables> = {
    async addLead(lead) {
      await tables.addLead(lead)
      changes.push({ type: 'lead', change: 'submitted', lead })
    },
    async claimEvent(event) {
      const isNew = await tables.claimEvent(event)
      if (isNew) changes.push({ type: 'lead', change: 'reported', event })
      return isNew
    },
    async recordBackendResponse(lead_id, advertiser_id, backend) {
      await tables.recordBackendResponse(lead_id, advertiser_id, backend)
      changes.push({ type: 'lead', change: 'forwarded', lead_id, advertiser_id, backend })
    },
    addCallback(callback) {
      callbacks.add(callback.callback_id)
      return tables.addCallback(callback)
    },
    recordAttempt(outcome, leased) {
      callbacks.add(outcome.callback_id)
      return tables.recordAttempt(outcome, leased)
    },
    postponeCallback(postponement, leased) {
      callbacks.add(postponement.callback_id)
      return tables.postponeCallback(postponement, leased)
    },
    requeueCallback(callbackId, due_at) {
      callbacks.add(callbackId)
      return tables.requeueCallback(callbackId, due_at)
    },
    async appendRequests(entries, from, ...kept) {
      if (isMultiProcess) return tables.appendRequests(entries, from, ...kept)
      const appended = await tables.appendRequests(entries, from, ...kept)
      const first = await appended()
      for (const [index, entry] of entries.entries())
        changes.push({ type: 'request', request: { number: first + index, ...entry } })
      return appended
    },
    async writeDocument(name, value) {
      await tables.writeDocument(name, value)
      const written = { [name]: value }
      if (written.clock) changes.push({ type: 'clock', clock: written.clock as ClockState })
      if (written.inbox) changes.push({ type: 'inbox', inbox: written.inbox as InboxMode })
      if (written.faults) changes.push({ type: 'fault', faults: (written.faults as { faults: FaultRecord[] }).faults })
    },
  }
  return {
    // By inheritance, because a storage's methods may need their own object.
    recording: Object.assign(Object.create(tables), recording) as SandboxTables,
    async changed(): Promise<readonly Change[]> {
      for (const id of callbacks) {
        const callback = await tables.findCallback(id)
        if (callback) changes.push({ type: 'callback', callback, holding: holding() })
      }
      return changes
    },
  }
}
