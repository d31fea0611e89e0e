import type { Clock, LeadReader, Storage, TokenReader } from '@lead-distribution/engine'
import { type CallService, reportAsAdvertiser } from '../advertisers/advertiser-network.ts'
import { createHandOver, type HandOver } from '../advertisers/hand-over.ts'
import { createDelivery } from '../callbacks/delivery.ts'
import type { DeliverySlots } from '../callbacks/delivery-slots.ts'
import { createClosableEgress } from '../callbacks/egress.ts'
import { createInbox, createInboxEgress, type Inbox } from '../callbacks/inbox.ts'
import { createFaultStore, type FaultStore, noFaults } from '../faults/fault-store.ts'
import { countAttempts, createJournal, type Journal } from '../journal/journal.ts'
import type { Metrics } from '../journal/metrics.ts'
import type { BackendRequest, HttpEgress, RequestEgress } from '../never-distribute/guarded-egress.ts'
import type { Urls } from '../paths.ts'
import type { ScheduledReport } from '../storage/records.ts'
import type { SandboxStorage, SandboxTables } from '../storage/sandbox-storage.ts'
import { createStoredDocument } from '../storage/stored-document.ts'
import type { TenantRecord } from '../storage/tenant-record.ts'
import type { EventHub } from '../stream/event-hub.ts'
import { observeStorage, type TenantChange } from '../stream/observe-storage.ts'
import { type ClockState, createTenantClock, type TenantClock, type Timer } from '../time/clock.ts'
import { createReadWriteLock, type ReadWriteLock } from '../time/locks.ts'
import { createNotifier, type Notifier } from '../time/notifier.ts'
import { createScheduler, type Scheduler } from '../time/scheduler.ts'
import { createTimeControl, type TimeControl } from '../time/time-control.ts'
import { createDueJobs } from './due-jobs.ts'
import { accountOf, documentsOf, type StoredTenant, type TenantAccount, type TenantInMemory } from './tenant-account.ts'
import {
  type CallIds,
  createCallIds,
  createEnginePorts,
  createPortsFor,
  type EnginePorts,
  type PortsFor,
  randomKeys,
} from './tenant-ports.ts'
import type { Sharing } from './tenant-sharing.ts'
import { createWaitingCalls, maxCallbackWaits, maxDelayedCalls, type WaitingCalls } from './waiting-calls.ts'

/** What every tenant needs from outside. */
export interface TenantDependencies {
  readonly storage: SandboxStorage
  readonly realClock: Clock
  /** Real time that nobody sets, for waits and durations. */
  readonly steadyClock: Clock
  readonly timer: Timer
  readonly urls: Urls
  readonly readLead: LeadReader
  readonly readToken: TokenReader
  /** The egress for callbacks that do not go to a tenant's own inbox; the hosts are those allowed for the tenant now. */
  readonly outbound: (allowedForTenant: () => readonly string[]) => HttpEgress
  /** The egress to advertisers' back ends, with the hosts that are allowed for the tenant now. */
  readonly backends: (allowedForTenant: () => readonly string[]) => RequestEgress<BackendRequest>
  /** Wraps the egress of a tenant, to observe what is sent. */
  readonly observeEgress?: ((egress: HttpEgress) => HttpEgress) | undefined
  /** What bounds the deliveries of all tenants. */
  readonly slots: DeliverySlots
  /** The service, for what simulated advertisers report. */
  readonly call: CallService
  /** Added to the seed of random numbers and of the ids of leads. */
  readonly randomSalt: string
  /** How many requests a tenant's journal keeps. */
  readonly journalLimit: number
  readonly metrics: Metrics
  /** Where processes share the storage. */
  readonly sharing?: Sharing | undefined
  /** Called with the time at which a tenant expires, when it is opened or changed. */
  readonly onExpiry: (at: number) => void
  /** Where what happens to tenants is published. */
  readonly events: EventHub
  readonly onError: (error: unknown) => void
}

/** A tenant that is open: its account, its storage and everything that works on them. */
export interface Tenant {
  /** Where processes share the storage: what the tenant has, and which of its changes were taken over. */
  content?: string | undefined
  version?: number | undefined
  /** Replaced as a whole by a change. */
  record: TenantRecord
  /** The account as the engine sees it. */
  account: TenantAccount
  readonly storage: Storage<SandboxTables>
  readonly clock: TenantClock
  readonly ids: CallIds
  readonly ports: EnginePorts
  readonly portsFor: PortsFor
  /** Runs callbacks and reports when they fall due. */
  readonly scheduler: Scheduler
  readonly time: TimeControl
  readonly faults: FaultStore
  readonly journal: Journal
  readonly inbox: Inbox
  readonly handOver: HandOver
  /** Notified when jobs were done. */
  readonly progress: Notifier
  /** The calls that wait for a callback, and those that a fault delays. */
  readonly waits: Readonly<Record<'callbacks' | 'delays', WaitingCalls>>
  /** Publishes what happened to it as a whole, which other processes see by themselves; so is what its storage commits. */
  announce(change: TenantChange['change']): void
  /** Resolves once what was begun before is committed, and the journal is written. */
  commit(): Promise<void>
  /** Every call of the service shares it; what restores, resets or saves the tenant has it exclusively. */
  readonly lock: ReadWriteLock
  /** Takes over what processes keep in memory; the record is taken over by itself. */
  takeOver(shared: TenantInMemory): void
  /** Takes over what `change` resolves to, which is what it stored, while nothing else goes on. False where it stored nothing. */
  restore(change: () => Promise<StoredTenant | undefined>): Promise<boolean>
}

/** Opens a tenant from what is stored of it. Its numbering goes on where it was. */
export async function openTenant({ record, state }: StoredTenant, dependencies: TenantDependencies): Promise<Tenant> {
  const { realClock, steadyClock, timer, urls, onError, metrics } = dependencies
  const shared = dependencies.sharing?.of(record.tenant, () => tenant.content)
  const refresh = shared?.refresh
  const clock = createTenantClock(realClock, state.clock, steadyClock)
  const isHeld = () => tenant.record.callbacks_held === true
  const feed = dependencies.events.of(record.tenant, clock)
  const storage = observeStorage(dependencies.storage.of(record.tenant), feed, isHeld)
  const random = await randomKeys(record, dependencies.randomSalt)
  const ids = createCallIds(random, state.newest)
  const storedFaults = createStoredDocument(storage, 'faults', { initial: state.faults, unwritten: noFaults, refresh })
  const faults = createFaultStore(storedFaults, random.faults)
  const { journalLimit: limit } = dependencies
  const allowedForTenant = () => tenant.record.callback_hosts ?? []
  const outbound = dependencies.outbound(allowedForTenant)
  const journal = createJournal({ storage, timer, limit, onError, newest: state.newestRequest, shared })
  const inbox = createInbox(storage, state.inbox, refresh)
  const progress = createNotifier(timer)
  const lock = createReadWriteLock()
  const send = createInboxEgress({ inbox, url: urls.inbox(record.tenant), clock, outbound })
  const egress = createClosableEgress(dependencies.observeEgress?.(send) ?? send)
  const account = () => tenant.account
  const onAttempt = countAttempts(metrics, journal)
  const leases = { steadyClock, leaseClock: shared?.leaseClock }
  const delivery = createDelivery({ ...leases, storage, clock, egress, faults, account, isHeld, refresh, onAttempt })
  const report = (scheduled: ScheduledReport) => reportAsAdvertiser(tenant, urls, dependencies.call, scheduled)
  const wake = () => scheduler.wake()
  const onDone = () => {
    progress.notify()
    shared?.notify()
  }
  const jobs = createDueJobs({
    storage,
    clock,
    delivery,
    report,
    refresh,
    slots: dependencies.slots.of(wake),
    onEnded: wake,
    onDone,
    retries: () => account().settings.callback_retries,
  })
  const backends = createClosableEgress(dependencies.backends(allowedForTenant))
  const handOver = createHandOver({ storage, egress: backends, timer, clock, steadyClock, urls, onError, account })
  const scheduler = createScheduler({ jobs, clock, timer, onError })
  const storeClock = (state: ClockState) => storage.transact(tables => tables.writeDocument('clock', state))
  const realNow = () => realClock.now()
  const time = createTimeControl({ clock, realNow, scheduler, store: storeClock, shared: shared?.clock })
  const ports = createEnginePorts({ storage, clock, ids }, dependencies, account, scheduler)

  const tenant: Tenant = {
    record,
    account: accountOf(record, urls),
    storage,
    clock,
    ids,
    scheduler,
    time,
    faults,
    journal,
    inbox,
    progress,
    lock,
    handOver,
    waits: { callbacks: createWaitingCalls(maxCallbackWaits), delays: createWaitingCalls(maxDelayedCalls) },
    announce: change => feed.publish(feed.eventsOf([{ type: 'tenant', change }])),
    commit: () => commit(tenant),
    ports,
    portsFor: createPortsFor(ports, ids, shared),
    takeOver: shared => takeOver(tenant, shared),
    async restore(change) {
      const restore = async () => {
        await journal.flush()
        const stored = await change()
        if (stored) restoreTenant(tenant, stored, urls)
        return stored !== undefined
      }
      // In this order: a change of the clock waits for jobs, and a job for its callbacks and for the calls that it makes.
      const alone = () => time.hold(() => scheduler.pause(() => lock.exclusive(restore)))
      return egress.closedWhile(() => backends.closedWhile(alone))
    },
  }
  return tenant
}

/** Waits for the transactions that were begun, those of the journal too. */
async function commit({ journal, storage }: Tenant): Promise<void> {
  await journal.flush()
  // Where the tenant is gone, or nothing can be stored, there is nothing to wait for.
  await storage.transact(async () => undefined).catch(() => undefined)
}

/** Takes over what another process may have changed. */
function takeOver(tenant: Tenant, { record, version, documents }: TenantInMemory): void {
  const { faults, inbox, clock } = documentsOf(record, documents)
  tenant.version = version
  tenant.faults.restore(faults)
  tenant.inbox.restore(inbox)
  tenant.time.takeOver(clock)
}

/** Has a tenant go on from what is stored. */
function restoreTenant(tenant: Tenant, { record, state }: StoredTenant, urls: Urls): void {
  const { ids } = tenant
  Object.assign(tenant, { record, account: accountOf(record, urls) })
  ids.lead.restore(state.newest.lead_id)
  ids.callback.restore(state.newest.callback_id)
  tenant.clock.restore(state.clock)
  tenant.faults.restore(state.faults)
  tenant.inbox.restore(state.inbox)
  tenant.journal.restore(state.newestRequest)
}
