import type { EventRecord, LeadRecord, Storage } from '@lead-distribution/engine'
import type { BackendAnswer } from '../storage/deliveries.ts'
import type { FaultRecord, InboxMode, RequestRecord, SandboxCallback } from '../storage/records.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import type { StreamEvent } from '../storage/shared-storage.ts'
import type { ClockState } from '../time/clock.ts'

/** What happened to a tenant. */
export type Change =
  | { readonly type: 'lead'; readonly change: 'submitted'; readonly lead: LeadRecord }
  | { readonly type: 'lead'; readonly change: 'reported'; readonly event: EventRecord }
  | ({ readonly type: 'lead'; readonly change: 'handed_over' } & HandedOver)
  /** `callbacks_held`: whether the tenant holds its callbacks. */
  | { readonly type: 'callback'; readonly callback: SandboxCallback; readonly callbacks_held: boolean }
  | { readonly type: 'call'; readonly request: RequestRecord }
  | { readonly type: 'clock'; readonly clock: ClockState }
  | { readonly type: 'fault'; readonly faults: readonly FaultRecord[] }
  | { readonly type: 'inbox'; readonly inbox: InboxMode }
  | TenantChange

/** What happened to a tenant as a whole. */
export interface TenantChange {
  readonly type: 'tenant'
  readonly change: 'created' | 'changed' | 'restored' | 'deleted'
}

/** How an advertiser's back end answered a lead. */
interface HandedOver {
  readonly lead_id: string
  readonly advertiser_id: string
  readonly backend: BackendAnswer
}

/** Where the changes of a tenant are published. */
export interface Feed {
  isWatched(): boolean
  /** Changes as streams have them. */
  eventsOf(changes: readonly Change[]): readonly StreamEvent[]
  /** The process that stores them for the streams of others; undefined where no other process reads them. */
  storedBy(): number | undefined
  /** Adds them to the streams of this process, and tells the others. */
  publish(events: readonly StreamEvent[]): void
}

/**
 * A storage that publishes what its transactions change, once they are committed. The one place where that is done:
 * whatever writes is seen. What other processes stream is stored with the changes: they see it once that is committed,
 * also if this process ends before it tells them. A transaction that nobody watches runs as it is.
 */
export function observeStorage(
  storage: Storage<SandboxTables>,
  feed: Feed,
  isHeld: () => boolean,
): Storage<SandboxTables> {
  return {
    transact(work) {
      if (!feed.isWatched()) return storage.transact(work)
      let events: readonly StreamEvent[] = []
      const observed = async (tables: SandboxTables) => {
        const { noting, changed } = noteChanges(tables, isHeld)
        const result = await work(noting)
        // The work may run again from its beginning: the changes are those of the run that is committed.
        events = feed.eventsOf(await changed())
        const process = feed.storedBy()
        if (process !== undefined && events.length > 0) await tables.addStreamEvents?.(process, events)
        return result
      }
      return storage.transact(observed).then(result => {
        if (events.length > 0) feed.publish(events)
        return result
      })
    },
  }
}

/** Tables that note what is changed by them. */
function noteChanges(tables: SandboxTables, isHeld: () => boolean) {
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
    async recordBackendAnswer(lead_id, advertiser_id, backend) {
      await tables.recordBackendAnswer(lead_id, advertiser_id, backend)
      changes.push({ type: 'lead', change: 'handed_over', lead_id, advertiser_id, backend })
    },
    addCallback(callback) {
      callbacks.add(callback.callback_id)
      return tables.addCallback(callback)
    },
    recordAttempt(outcome) {
      callbacks.add(outcome.callback_id)
      return tables.recordAttempt(outcome)
    },
    postponeCallback(postponement) {
      callbacks.add(postponement.callback_id)
      return tables.postponeCallback(postponement)
    },
    requeueCallback(callbackId, due_at) {
      callbacks.add(callbackId)
      return tables.requeueCallback(callbackId, due_at)
    },
    async addRequests(requests) {
      await tables.addRequests(requests)
      for (const request of requests) changes.push({ type: 'call', request })
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
        if (callback) changes.push({ type: 'callback', callback, callbacks_held: isHeld() })
      }
      return changes
    },
  }
}
