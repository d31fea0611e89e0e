import type { Account } from '@lead-distribution/contract'
import type { Clock, LeadReader, Storage, TokenReader } from '@lead-distribution/engine'
import {
  type CallService,
  createAdvertiserNetwork,
  createLeadForwarding,
  type LeadForwarding,
  reportAsAdvertiser,
  scheduleReports,
} from '../advertisers/advertisers.ts'
import type { CallbackContext } from '../callbacks/deliver.ts'
import { createInbox, createInboxEgress, type Inbox } from '../callbacks/inbox.ts'
import { createListener, type Listener, type ListenerOptions } from '../callbacks/listener.ts'
import type { CallbackSlots } from '../callbacks/slots.ts'
import { createFaultStore, type FaultStore, noFaults } from '../effects/faults.ts'
import type { BackendRequest, HttpEgress, RequestEgress } from '../egress/guarded-egress.ts'
import { createClosableEgress } from '../egress/guarded-egress.ts'
import { countAttempts, createJournal, type Journal } from '../journal/journal.ts'
import type { Metrics } from '../journal/metrics.ts'
import { createSeededIds, deriveFrom, randomKey } from '../random/seeded-random.ts'
import type { SandboxStorage, SharedAccess } from '../storage/sandbox-storage.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import { StorageUnavailable } from '../storage/storage-unavailable.ts'
import { createStoredDocument } from '../storage/stored-document.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import type { Change, EventStreams } from '../stream/event-streams.ts'
import { type Feed, observeStorage } from '../stream/observe-storage.ts'
import { createTenantClock, type TenantClock, type Timer } from '../time/clock.ts'
import { createNotifier, createReadWriteLock, type Notifier, type ReadWriteLock } from '../time/locks.ts'
import type { Urls } from '../urls.ts'
import { createWorker, type Worker } from '../worker/worker.ts'
import { accountOf, documentsOf, type StoredTenant, type TenantInMemory } from './account.ts'
import type { ChangedTenant } from './change-tenant.ts'
import {
  type CallIds,
  createSharedPorts,
  type EnginePorts,
  type OpenedShared,
  type SharedPorts,
  type TenantSharing,
} from './sharing.ts'
import { secretsOf } from './tenant-identity.ts'
import {
  createWaitingRequests,
  maxCallbackWaits,
  maxDelayedRequests,
  type WaitingRequests,
} from './waiting-requests.ts'

export interface TenantDependencies {
  readonly storage: SandboxStorage
  readonly realClock: Clock
  /** Monotonic milliseconds, for waits and durations. */
  readonly steadyClock: Clock
  /** Like `steadyClock`, with fractions of a millisecond, for the metrics. */
  readonly monotonic: () => number
  readonly timer: Timer
  readonly waitTimer: Timer
  readonly urls: Urls
  readonly readLead: LeadReader
  readonly readToken: TokenReader
  /**
   * Creates the egress for callbacks to other receivers than the tenant's inbox. The argument returns the hosts currently
   * allowed for the tenant.
   */
  readonly outbound: (allowedForTenant: () => readonly string[]) => HttpEgress
  /** Creates the egress to advertisers' back ends. */
  readonly backends: (allowedForTenant: () => readonly string[]) => RequestEgress<BackendRequest>
  /** Wraps a tenant's egress, to observe the callbacks sent. */
  readonly observeEgress?: ((egress: HttpEgress) => HttpEgress) | undefined
  readonly slots: CallbackSlots
  /** The service, for the reports of simulated advertisers. */
  readonly call: CallService
  /** Added to the seed of random numbers and lead ids. */
  readonly randomSalt: string
  /** The maximum number of requests in a tenant's journal. */
  readonly journalLimit: number
  /** True if the journal may record requests in full, because only this machine reaches the sandbox. */
  readonly mayKeepFull: boolean
  readonly metrics: Metrics
  /** Called with the time at which a tenant expires, when it is opened or changed. */
  readonly onExpiry: (at: number) => void
  /** Replaces a tenant's record with the one that `change` returns. */
  readonly changeTenant: (
    tenant: string,
    change: (record: TenantRecord) => Promise<ChangedTenant>,
  ) => Promise<ChangedTenant>
  /** Publishes the tenants' events. */
  readonly events: EventStreams
  readonly onError: (error: unknown) => void
}

/** The part of a tenant that changes, restores and other processes replace. */
interface CurrentTenant {
  record: TenantRecord
  /** The account as the engine sees it. */
  account: Account
  /** True once the tenant was removed or replaced by another one with its name. */
  hasEnded: boolean
  /** The content and version last adopted, if processes share the storage. */
  content?: string | undefined
  version?: number | undefined
}

/** An open tenant: its account, its storage and the components that use them. */
export interface Tenant extends CurrentTenant {
  readonly storage: Storage<SandboxTables>
  readonly clock: TenantClock
  readonly ids: CallIds
  readonly ports: EnginePorts
  /** Creates the ports for one call, if processes share the tenant. */
  readonly sharedPorts?: SharedPorts | undefined
  /** Runs callbacks and reports when they fall due, and changes the clock. */
  readonly worker: Worker
  readonly faults: FaultStore
  readonly journal: Journal
  readonly inbox: Inbox
  readonly listener: Listener
  readonly forwarding: LeadForwarding
  /** Notified when jobs have finished. */
  readonly progress: Notifier
  readonly waits: Readonly<Record<'callbacks' | 'delays', WaitingRequests>>
  /** Service calls hold it shared; restoring, resetting or saving the tenant takes it exclusively. */
  readonly lock: ReadWriteLock
  /** Publishes a change to the tenant as a whole, in this process only. */
  announce(change: Extract<Change, { type: 'tenant' }>['change']): void
  /** Resolves once everything begun earlier is committed and the journal is written. */
  commit(): Promise<void>
  /** Applies another process's documents. The record is replaced separately. */
  adopt(shared: TenantInMemory): void
  /** Runs `change` exclusively and continues from the state that it stored. Resolves to false if it stored nothing. */
  restore(change: () => Promise<StoredTenant | undefined>): Promise<boolean>
}

/** Opens a tenant from its stored state. Numbering continues where it left off. */
export async function openTenant(
  stored: StoredTenant,
  dependencies: TenantDependencies,
  opened?: OpenedShared,
): Promise<Tenant> {
  const { record } = stored
  const { waitTimer, urls, mayKeepFull, readLead, readToken } = dependencies
  const current: CurrentTenant = {
    record,
    account: accountOf(record, urls, mayKeepFull),
    hasEnded: false,
    content: opened?.content,
    version: opened?.version,
  }
  // Failures of unfinished work after the tenant has ended are not errors.
  const own = { ...dependencies, onError: (error: unknown) => current.hasEnded || dependencies.onError(error) }
  const shared = opened?.sharing.of(record.tenant, () => current.content)
  const state = await openState(stored, own, current, shared)
  const { feed, storage, clock, ids, faults, journal, inbox } = state
  const progress = createNotifier(waitTimer)
  const notify = () => {
    progress.notify()
    shared?.notify()
  }
  const outbound = createOutbound(own, current, state, shared, { progress, notify })
  const worker = openWorker(own, current, state, shared, outbound.callbacks, notify)
  const lock = createReadWriteLock()
  const ports: EnginePorts = {
    storage,
    clock,
    ids: { lead: ids.lead.next, callback: ids.callback.next },
    network: createAdvertiserNetwork(urls.advertiserPage),
    readLead,
    readToken,
    async onLeadStored(lead, tables) {
      const { lifecycle } = current.account.settings
      if (lifecycle.length > 0) await scheduleReports(lead, lifecycle, tables)
    },
    onCallbackDue: worker.wake,
  }

  function continueFrom({ record, state }: StoredTenant): void {
    Object.assign(current, { record, account: accountOf(record, urls, mayKeepFull) })
    ids.lead.restore(state.newest.lead_id)
    ids.callback.restore(state.newest.callback_id)
    clock.restore(state.clock)
    faults.restore(state.faults)
    inbox.restore(state.inbox)
    journal.restore(state.newestRequest)
  }

  return Object.assign(current, {
    storage,
    clock,
    ids,
    ports,
    sharedPorts: shared && createSharedPorts(ports, ids, shared, state.checkedStorage),
    worker,
    faults,
    journal,
    inbox,
    listener: outbound.listener,
    forwarding: outbound.forwarding,
    progress,
    waits: { callbacks: createWaitingRequests(maxCallbackWaits), delays: createWaitingRequests(maxDelayedRequests) },
    lock,
    announce: (change: Parameters<Tenant['announce']>[0]) =>
      feed.streams.add(feed.streams.eventsOf(feed, [{ type: 'tenant', change }])),
    async commit() {
      await journal.flush()
      // If the tenant is gone or the storage fails, there is nothing to wait for.
      await storage.transact(async () => undefined).catch(() => undefined)
    },
    adopt({ record, version, documents }: TenantInMemory) {
      const written = documentsOf(record, documents)
      current.version = version
      faults.restore(written.faults)
      inbox.restore(written.inbox)
      worker.adoptClock(written.clock)
    },
    async restore(change: () => Promise<StoredTenant | undefined>) {
      const restore = async () => {
        await journal.flush()
        const restored = await change()
        if (restored) continueFrom(restored)
        // Wakes a waiting listener, so that it marks itself as connected again.
        notify()
        return restored !== undefined
      }
      // The order avoids deadlocks: a clock change waits for jobs, and a job for its callbacks and its service calls.
      const alone = () => worker.pause(() => lock.exclusive(restore))
      return outbound.egress.closedWhile(() => outbound.backends.closedWhile(alone))
    },
  })
}

/** Opens a tenant's storage and its state in memory. */
async function openState(
  { record, state }: StoredTenant,
  dependencies: TenantDependencies,
  current: CurrentTenant,
  shared: TenantSharing | undefined,
) {
  const { realClock, steadyClock, timer, journalLimit: limit, onError } = dependencies
  const refresh = shared?.refresh
  const clock = createTenantClock(realClock, state.clock, steadyClock)
  const feed: Feed = { streams: dependencies.events, tenant: record.tenant, clock }
  const content = shared && (() => current.content)
  const storage = decorateStorage(dependencies, current, feed, content && { content })
  const random = await randomKeys(record, dependencies.randomSalt)
  const document = createStoredDocument(storage, 'faults', { initial: state.faults, unwritten: noFaults, refresh })
  return {
    clock,
    feed,
    storage,
    clockStorage: content ? decorateStorage(dependencies, current, feed, { content, lease: 'clock' }) : storage,
    checkedStorage: (version: number | undefined) =>
      decorateStorage(dependencies, current, feed, content && { content, version }),
    ids: {
      lead: createSeededIds(random.leads, state.newest.lead_id),
      callback: createSeededIds(random.callbacks, state.newest.callback_id),
    },
    faults: createFaultStore(document, random.faults),
    inbox: createInbox(storage, state.inbox, refresh),
    journal: createJournal({
      storage: content ? decorateStorage(dependencies, current, feed, { content, isRelaxed: true }) : storage,
      timer,
      limit,
      newest: state.newestRequest,
      isMultiProcess: shared !== undefined,
      keeps: () => current.account.settings.journal_bodies,
      onError,
    }),
  }
}

type State = Awaited<ReturnType<typeof openState>>

/** Returns a tenant's storage with the sandbox's wrappers, from the inside out. */
export function decorateStorage(
  {
    storage,
    metrics,
    monotonic,
  }: Pick<TenantDependencies, 'storage' | 'monotonic'> & {
    readonly metrics: Pick<Metrics, 'transaction'>
  },
  current: Pick<CurrentTenant, 'record' | 'hasEnded' | 'content'>,
  feed: Feed,
  shared: SharedAccess | undefined,
): Storage<SandboxTables> {
  const { tenant } = current.record
  const measured = measureStorage(storage.of(tenant, shared), metrics, monotonic)
  const untilEnded = endStorage(measured, tenant, () => current.hasEnded, shared !== undefined)
  return observeStorage(untilEnded, feed, () => current.record)
}

/** Measures transactions. */
function measureStorage(
  { transact, read }: Storage<SandboxTables>,
  metrics: Pick<Metrics, 'transaction'>,
  monotonic: () => number,
): Storage<SandboxTables> {
  async function measured<Result>(run: () => Promise<Result>): Promise<Result> {
    const start = monotonic()
    const seconds = () => (monotonic() - start) / 1000
    try {
      const result = await run()
      metrics.transaction('committed', seconds())
      return result
    } catch (error) {
      metrics.transaction('failed', seconds())
      throw error
    }
  }
  return { transact: work => measured(() => transact(work)), read: work => measured(() => read(work)) }
}

/** Rejects new transactions once the tenant has ended, because another tenant may have its name. */
function endStorage(
  { transact, read }: Storage<SandboxTables>,
  tenant: string,
  hasEnded: () => boolean,
  isMultiProcess: boolean,
): Storage<SandboxTables> {
  async function reject(): Promise<never> {
    // A shared storage rejects with the reason itself: the tenant is gone or was replaced.
    if (isMultiProcess) await read(async () => undefined)
    throw new Error(`The tenant ${tenant} was deleted.`)
  }
  return {
    transact: work => (hasEnded() ? reject() : transact(work)),
    read: work => (hasEnded() ? reject() : read(work)),
  }
}

/** Creates a tenant's outbound traffic: callbacks to its publisher, and leads to its advertisers' back ends. */
function createOutbound(
  dependencies: TenantDependencies,
  current: CurrentTenant,
  { storage, clock, inbox, faults }: State,
  shared: TenantSharing | undefined,
  wakes: Pick<ListenerOptions, 'progress' | 'notify'>,
) {
  const { realClock, steadyClock, timer, urls, observeEgress, changeTenant, onError } = dependencies
  const { tenant } = current.record
  const registered = () => current.record.listener
  const listener = createListener({
    ...wakes,
    storage,
    // Not the monotonic clock, which restarts with the process.
    clock: shared?.leaseClock ?? realClock,
    timer,
    registered,
    setConnected: (listener_id, connected) => changeTenant(tenant, withConnected(listener_id, connected)),
    onError,
  })
  const account = () => current.account
  const allowedForTenant = () => current.record.callback_hosts ?? []
  const outbound = dependencies.outbound(allowedForTenant)
  const direct = createInboxEgress({ inbox, url: urls.inbox(tenant), clock, outbound })
  const send: HttpEgress = { send: request => (registered() ? listener.egress : direct).send(request) }
  const egress = createClosableEgress(observeEgress?.(send) ?? send)
  const backends = createClosableEgress(dependencies.backends(allowedForTenant))
  return {
    egress,
    backends,
    listener,
    callbacks: {
      tenant: current,
      storage,
      clock,
      steadyClock,
      leaseClock: shared?.leaseClock ?? steadyClock,
      egress,
      faults,
      secrets: () => secretsOf(current.record),
      listener,
      refresh: shared?.refresh,
    },
    forwarding: createLeadForwarding({
      storage,
      egress: backends,
      account,
      urls,
      timer,
      clock,
      steadyClock,
      onError,
    }),
  }
}

/** Returns a change that marks a listener as connected or not, if the tenant still has it. */
function withConnected(listener_id: string, connected: boolean) {
  return async (record: TenantRecord): Promise<ChangedTenant> => {
    const { listener } = record
    const isOther = listener?.listener_id !== listener_id || listener.connected === connected
    return isOther ? { issues: [] } : { record: { ...record, listener: { ...listener, connected } } }
  }
}

/** Creates a tenant's worker, which runs due jobs and changes the clock. */
function openWorker(
  { realClock, timer, urls, slots, call, metrics, onError }: TenantDependencies,
  current: CurrentTenant,
  { storage, clockStorage, clock, journal }: State,
  shared: TenantSharing | undefined,
  callbacks: CallbackContext,
  onProgress: () => void,
): Worker {
  return createWorker({
    clock,
    realClock,
    timer,
    storage,
    clockStorage,
    callbacks,
    slots,
    async report(report) {
      const response = await reportAsAdvertiser(current, urls, call, report)
      if (response?.notDone) throw new StorageUnavailable('A report could not be stored. It will be retried.')
    },
    shared,
    onAttempt: countAttempts(metrics, journal),
    onProgress,
    onError,
  })
}

/** Derives the keys for a tenant's ids and random numbers, one for each use. */
export async function randomKeys({ seed, tenant }: TenantRecord, salt: string) {
  // Don't rename the label `chance`: another one would renumber the leads of every stored tenant.
  const derived = await deriveFrom(`${seed}/${tenant}/chance${salt}`)
  const keyOf = async (label: string) => randomKey(await derived.hex(label))
  return { leads: await keyOf('leads'), callbacks: await keyOf('callbacks'), faults: await keyOf('faults') }
}
