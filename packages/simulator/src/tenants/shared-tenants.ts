import type { Clock } from '@lead-distribution/engine'
import type { RequestRecord } from '../storage/records.ts'
import {
  everyTenant,
  type SharedChanges,
  type SharedStorage,
  type SharedTenant,
  type StreamEvent,
} from '../storage/shared-storage.ts'
import { StorageUnavailable } from '../storage/storage-unavailable.ts'
import type { EventStreams } from '../stream/event-streams.ts'
import type { Timer } from '../time/clock.ts'
import { coalesce } from '../time/locks.ts'
import { type BrokenTenantOptions, breakTenant, checkDocuments, checkRecord, readStored } from './broken-tenants.ts'
import type { Tenant } from './runtime.ts'
import type { Sharing, TenantSharing } from './sharing.ts'
import type { TenantDirectory } from './tenant-directory.ts'

/** Keeps the open tenants of this process as the storage has them. */
export interface SharedTenants extends Sharing {
  /** Runs a change of a tenant, from how any process left it, while no process runs another one of it. */
  exclusive<Result>(name: string, run: () => Promise<Result>): Promise<Result>
  /** Runs what chooses keys, knowing those of all processes, while no process runs something else that does. */
  choosingKeys<Result>(run: () => Promise<Result>): Promise<Result>
  /** Runs what replaces the content of a tenant, which then goes on with the new one. */
  replacing<Result>(tenant: Tenant, run: () => Promise<Result>): Promise<Result>
  /** Opens all tenants, and from then on finds what processes that died left undone. */
  start(): Promise<void>
  stop(): void
}

export interface SharedTenantsOptions extends BrokenTenantOptions {
  readonly shared: SharedStorage
  readonly directory: TenantDirectory
  readonly events: EventStreams
  /** Ends what a tenant still does that is not open any more. */
  readonly endWork: (tenant: Tenant) => void
  readonly steadyClock: Clock
  readonly timer: Timer
}

/** The interval of polling for unclaimed work and for missed notifications, milliseconds. */
const pollMs = 5_000

/** The time to collect what is stored for streams into one message to the other processes, milliseconds. */
const publishMs = 10

/** The number of times changes are read because a tenant disappeared before it could be opened. */
const maxReads = 5

/** Sharing over what is open. A change by one process holds for the next call by any other. */
export function createSharedTenants(options: SharedTenantsOptions): SharedTenants {
  const { shared, steadyClock, events, directory, timer, onError } = options
  const beingReplaced = new Set<Tenant>()
  let aheadMs = 0
  let isReadElsewhere = false
  let wasRead = false
  const applyChanges = createChangeApplier(options, tenant => beingReplaced.has(tenant))
  const publish = throttle(timer, publishMs, () => shared.send({ type: 'published' }))

  const refresh = coalesce(async () => {
    let failure: unknown
    const isRead = events.isRead()
    for (let reads = 0; reads < maxReads; reads++) {
      const changes = await shared.readChanges(isRead)
      aheadMs = changes.now - steadyClock.now()
      if (isRead && !wasRead) shared.send({ type: 'reading' })
      wasRead = isRead
      isReadElsewhere = changes.isReadElsewhere
      // A reader of another process sees that a tenant was created, changed or deleted when that process reads changes.
      if (isReadElsewhere && changes.tenants.length + changes.gone.length > 0) publish()
      failure = await applyChanges(changes, sharing)
      if (!failure) return
    }
    throw new StorageUnavailable('Some tenants could not be read: try again.', { cause: failure })
  })

  /** Nothing is lost if it fails: the next read has it. */
  const readStreams = () => events.isRead() && void refresh().catch(onError)
  events.onStored(() => {
    readStreams()
    if (isReadElsewhere) publish()
  })
  shared.onMessage(message => {
    if (message.type === 'reading') isReadElsewhere = true
    else if (message.type === 'published') readStreams()
    else if (message.type === 'progress') directory.find(message.tenant)?.progress.notify()
  })

  const refreshed = async <Result>(run: () => Promise<Result>) => {
    await refresh()
    return run()
  }
  const leaseClock = { now: () => steadyClock.now() + aheadMs }
  const ofTenants = { storage: shared, refresh, leaseClock }
  const sharing: SharedTenants = {
    of: (tenant, content) => createTenantSharing(ofTenants, tenant, content),
    refresh,
    exclusive: (name, run) => shared.exclusive(name, 'change', () => refreshed(run)),
    choosingKeys: run => shared.exclusive(everyTenant, 'keys', () => refreshed(run)),
    async replacing(tenant, run) {
      beingReplaced.add(tenant)
      try {
        const result = await run()
        await refresh()
        return result
      } finally {
        beingReplaced.delete(tenant)
      }
    },
    ...createPolling(options, refresh),
  }
  return sharing
}

/** Applies changes. Resolves to an error if a tenant could not be opened: by the next read it is gone, or can be opened. */
function createChangeApplier(options: SharedTenantsOptions, isBeingReplaced: (tenant: Tenant) => boolean) {
  const { storage, directory, shapes, events, endWork } = options
  const { broken } = directory
  /** Tenants that could not be opened yet, by their content. */
  const unopened = new Map<string, SharedTenant>()

  function close(tenant: Tenant): void {
    const { tenant: name } = tenant.record
    if (directory.find(name) === tenant) directory.remove(name)
    directory.announceDeleted(tenant)
    endWork(tenant)
  }

  /** A request that was added to the journal of a tenant, as an event. */
  function callEvents(name: string, request: RequestRecord): readonly StreamEvent[] {
    const tenant = directory.find(name)
    return tenant ? events.eventsOf({ tenant: name, clock: tenant.clock }, [{ type: 'call', request }]) : []
  }

  async function applyOne(found: SharedTenant, sharing: Sharing): Promise<void> {
    const { tenant: name, content, version } = found
    const tenant = directory.find(name)
    if (tenant?.content === content) return applyToOpen(options, tenant, found)
    // This process does it itself, and goes on with what it stored.
    if (tenant && isBeingReplaced(tenant)) return void Object.assign(tenant, { content, version })
    unopened.set(content, found)
    const stored = await readStored(found, storage.of(name, { content: () => content }), shapes)
    unopened.delete(content)
    const opened = await directory.open(stored, { ...found, sharing })
    if (tenant) endWork(tenant)
    opened.worker.wake()
  }

  /** Replaces a tenant that cannot be opened with a broken one: to read it again would find the same. */
  async function applyBroken(found: SharedTenant, error: unknown): Promise<void> {
    unopened.delete(found.content)
    const { content, version } = broken.find(found.tenant) ?? {}
    if (content === found.content && version === found.version) return
    const made = await breakTenant(found, error, options)
    const tenant = directory.find(found.tenant)
    if (tenant) close(tenant)
    directory.addBroken(made)
  }

  return async (changes: SharedChanges, sharing: Sharing): Promise<unknown> => {
    const { tenants, gone, calls } = changes
    let failure: unknown
    for (const content of gone) unopened.delete(content)
    const found = new Map([...unopened.values(), ...tenants].map(each => [each.content, each]))
    // Together, so that they share transactions: the first read has every tenant.
    const applying = [...found.values()].map(each =>
      applyOne(each, sharing).catch((error: unknown) => {
        if (!(error instanceof StorageUnavailable)) return applyBroken(each, error)
        failure = error
      }),
    )
    await Promise.all(applying)
    // What happened to a tenant comes behind its creation and before its end.
    if (!changes.events) events.restart()
    else events.add([...changes.events, ...calls.flatMap(({ tenant, request }) => callEvents(tenant, request))])
    const lost = new Set(gone)
    for (const { tenant, content = '' } of broken.list()) if (lost.has(content)) directory.remove(tenant)
    if (lost.size > 0)
      for (const tenant of directory.list())
        if (lost.has(tenant.content ?? '') && !isBeingReplaced(tenant)) close(tenant)
    return failure
  }
}

/** Applies what another process changed of a tenant that is open. */
function applyToOpen({ directory, shapes }: SharedTenantsOptions, tenant: Tenant, found: SharedTenant): void {
  const { version } = found
  if (tenant.version === version) return
  const record = checkRecord(found)
  const documents = checkDocuments(found.documents, shapes)
  directory.replaceRecord(tenant, record)
  tenant.adopt({ record, version, documents })
}

/** Makes a function that runs another one after so many milliseconds, once for all calls until then. */
function throttle(timer: Timer, ms: number, run: () => void) {
  let waiting = false
  return () => {
    if (waiting) return
    waiting = true
    timer.after(ms, () => {
      waiting = false
      run()
    })
  }
}

/** Finds what no process does, because one died or a notification was lost. */
function createPolling(
  { shared, directory, timer, onError }: SharedTenantsOptions,
  refresh: () => Promise<void>,
): Pick<SharedTenants, 'start' | 'stop'> {
  let stopped = false
  let cancel: (() => void) | undefined

  async function poll(): Promise<void> {
    const [waiting] = await Promise.all([shared.listWaiting(), refresh(), shared.removeOld()])
    for (const { tenant: name, due_at } of waiting) {
      const tenant = directory.find(name)
      if (tenant && due_at <= tenant.clock.now()) tenant.worker.wake()
    }
    for (const { progress } of directory.list()) progress.notify()
  }

  const pollLater = () => {
    cancel = timer.after(pollMs, async () => {
      await poll().catch(onError)
      if (!stopped) pollLater()
    })
  }
  return {
    async start() {
      await refresh()
      pollLater()
    },
    stop() {
      stopped = true
      cancel?.()
    },
  }
}

interface TenantSharingOptions extends Omit<Sharing, 'of'>, Pick<TenantSharing, 'leaseClock'> {
  readonly storage: SharedStorage
}

/** The sharing of a tenant; `content` names what it has now. */
function createTenantSharing(
  { storage, refresh, leaseClock }: TenantSharingOptions,
  tenant: string,
  content: () => string | undefined,
): TenantSharing {
  return {
    refresh,
    leaseClock,
    numbers: (series, following) =>
      createSharedNumbers(count => storage.reserve(content() ?? '', series, following(), count)),
    clock: {
      exclusive: change =>
        storage.exclusive(tenant, 'clock', async () => {
          await refresh()
          return change()
        }),
      countJobs: () => storage.countJobs(content() ?? ''),
    },
    notify: () => storage.send({ type: 'progress', tenant }),
  }
}

/**
 * Numbers across processes. `reserve` reserves so many that no other process has, and resolves to the first. Whoever waits
 * at the same time shares a reservation; none is reserved ahead, so that numbers grow as calls come in, and without gaps
 * where one process runs.
 */
function createSharedNumbers(reserve: (count: number) => Promise<number>): () => Promise<number> {
  let waiting: PromiseWithResolvers<number>[] = []
  let reserving = false

  async function reserveAll(): Promise<void> {
    reserving = true
    while (waiting.length > 0) {
      const all = waiting
      waiting = []
      try {
        const first = await reserve(all.length)
        for (const [index, { resolve }] of all.entries()) resolve(first + index)
      } catch (error) {
        for (const { reject } of all) reject(error)
      }
    }
    reserving = false
  }

  return () => {
    const number = Promise.withResolvers<number>()
    waiting.push(number)
    if (!reserving) void reserveAll()
    return number.promise
  }
}
