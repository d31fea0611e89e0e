import type { EventRecord, LeadRecord, Storage } from '@lead-distribution/engine'
import type { BackendResponse, FaultRecord, InboxMode, RequestRecord, SandboxCallback } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { StreamEvent } from '../storage/shared-storage.ts'
import type { Holding } from '../storage/tenant-record.ts'
import type { ClockState } from '../time/clock.ts'

export type Change =
  | { readonly type: 'lead'; readonly change: 'submitted'; readonly lead: LeadRecord }
  | { readonly type: 'lead'; readonly change: 'reported'; readonly event: EventRecord }
  | ({ readonly type: 'lead'; readonly change: 'handed_over' } & HandedOver)
  | { readonly type: 'callback'; readonly callback: SandboxCallback; readonly holding: Holding }
  | { readonly type: 'call'; readonly request: RequestRecord }
  | { readonly type: 'clock'; readonly clock: ClockState }
  | { readonly type: 'fault'; readonly faults: readonly FaultRecord[] }
  | { readonly type: 'inbox'; readonly inbox: InboxMode }
  | TenantChange

export interface TenantChange {
  readonly type: 'tenant'
  readonly change: 'created' | 'changed' | 'restored' | 'deleted'
}

/** The response of an advertiser's back end to a lead. */
interface HandedOver {
  readonly lead_id: string
  readonly advertiser_id: string
  readonly backend: BackendResponse
}

/** Publishes the changes of a tenant. */
export interface Feed {
  isWatched(): boolean
  eventsOf(changes: readonly Change[]): readonly StreamEvent[]
  /** Adds them to the streams of this process. */
  publish(events: readonly StreamEvent[]): void
  /** Set where processes share the storage: events are stored, and this is called once they are committed. */
  readonly stored: (() => void) | undefined
}

/**
 * A storage that publishes what its transactions change, once they are committed. The one place where that is done:
 * whatever writes is seen. Where processes share the storage, the events are stored with the changes, and each process
 * finds them there, this one too. A transaction that nobody watches runs as it is.
 */
export function observeStorage(
  storage: Storage<SandboxTables>,
  feed: Feed,
  holding: () => Holding,
): Storage<SandboxTables> {
  return {
    transact(work) {
      if (!feed.isWatched()) return storage.transact(work)
      let events: readonly StreamEvent[] = []
      const observed = async (tables: SandboxTables) => {
        const { noting, changed } = noteChanges(tables, holding, feed.stored !== undefined)
        const result = await work(noting)
        // The work may run again from its beginning: the changes are those of the run that is committed.
        events = feed.eventsOf(await changed())
        if (feed.stored && events.length > 0) await tables.addStreamEvents?.(events)
        return result
      }
      return storage.transact(observed).then(result => {
        if (feed.stored) feed.stored()
        else if (events.length > 0) feed.publish(events)
        return result
      })
    },
    read: storage.read,
  }
}

/** Tables that note what is changed by them. Where processes share the storage, each finds calls in the journal. */
function noteChanges(tables: SandboxTables, holding: () => Holding, isShared: boolean) {
  const changes: Change[] = []
  const callbacks = new Set<string>()
  const noting: Partial<SandboxTables> = {
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
      changes.push({ type: 'lead', change: 'handed_over', lead_id, advertiser_id, backend })
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
    async appendRequests(entries, from, bodies) {
      if (isShared) return tables.appendRequests(entries, from, bodies)
      const appended = await tables.appendRequests(entries, from, bodies)
      const first = await appended()
      for (const [index, entry] of entries.entries())
        changes.push({ type: 'call', request: { number: first + index, ...entry } })
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
    // By inheritance: the methods of a storage may need the object that they are of.
    noting: Object.assign(Object.create(tables), noting) as SandboxTables,
    async changed(): Promise<readonly Change[]> {
      for (const id of callbacks) {
        const callback = await tables.findCallback(id)
        if (callback) changes.push({ type: 'callback', callback, holding: holding() })
      }
      return changes
    },
  }
}
