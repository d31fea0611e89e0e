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

/** Keeps this process's open tenants in sync with the storage. */
export interface SharedTenants extends Sharing {
  /** Runs a tenant change on the latest state, one at a time across processes. */
  exclusive<Result>(name: string, run: () => Promise<Result>): Promise<Result>
  /** Runs a function that chooses keys, with all processes' keys loaded, one at a time across processes. */
  choosingKeys<Result>(run: () => Promise<Result>): Promise<Result>
  /** Runs a function that replaces a tenant's content. The open tenant then adopts it. */
  replacing<Result>(tenant: Tenant, run: () => Promise<Result>): Promise<Result>
  /** Opens all tenants, then polls for jobs that crashed processes left behind. */
  start(): Promise<void>
  stop(): void
}

export interface SharedTenantsOptions extends BrokenTenantOptions {
  readonly shared: SharedStorage
  readonly directory: TenantDirectory
  readonly events: EventStreams
  /** Ends the remaining work of a tenant that is no longer open. */
  readonly endWork: (tenant: Tenant) => void
  readonly steadyClock: Clock
  readonly timer: Timer
}

/** The polling interval for unclaimed jobs and lost notifications, in milliseconds. */
const pollMs = 5_000

/** How long to throttle messages about stored stream events, in milliseconds. */
const publishMs = 10

/** The maximum number of reads if a tenant disappears before it can be opened. */
const maxReads = 5

/** Creates the sharing of open tenants. A change by one process is visible to the next call in any other. */
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
      // Readers in other processes see a created, changed or deleted tenant once their process reads changes.
      if (isReadElsewhere && changes.tenants.length + changes.gone.length > 0) publish()
      failure = await applyChanges(changes, sharing)
      if (!failure) return
    }
    throw new StorageUnavailable('Some tenants could not be read. Retry.', { cause: failure })
  })

  /** A failure loses nothing: the next read gets the events. */
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

/**
 * Creates a function that applies changes. It resolves to an error if a tenant could not be opened; by the next read, the
 * tenant is gone or can be opened.
 */
function createChangeApplier(options: SharedTenantsOptions, isBeingReplaced: (tenant: Tenant) => boolean) {
  const { storage, directory, shapes, events, endWork } = options
  const { broken } = directory
  /** Tenants not opened yet, by content. */
  const unopened = new Map<string, SharedTenant>()

  function close(tenant: Tenant): void {
    const { tenant: name } = tenant.record
    if (directory.find(name) === tenant) directory.remove(name)
    directory.announceDeleted(tenant)
    endWork(tenant)
  }

  /** Returns the events of a journal request. */
  function requestEvents(name: string, request: RequestRecord): readonly StreamEvent[] {
    const tenant = directory.find(name)
    return tenant ? events.eventsOf({ tenant: name, clock: tenant.clock }, [{ type: 'request', request }]) : []
  }

  async function applyOne(found: SharedTenant, sharing: Sharing): Promise<void> {
    const { tenant: name, content, version } = found
    const tenant = directory.find(name)
    if (tenant?.content === content) return applyToOpen(options, tenant, found)
    // This process is replacing the tenant itself, and the open tenant adopts the result.
    if (tenant && isBeingReplaced(tenant)) return void Object.assign(tenant, { content, version })
    unopened.set(content, found)
    const stored = await readStored(found, storage.of(name, { content: () => content }), shapes)
    unopened.delete(content)
    const opened = await directory.open(stored, { ...found, sharing })
    if (tenant) endWork(tenant)
    opened.worker.wake()
  }

  /** Replaces a tenant that cannot be opened with a broken one. Another read would fail the same way. */
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
    const { tenants, gone, requests } = changes
    let failure: unknown
    for (const content of gone) unopened.delete(content)
    const found = new Map([...unopened.values(), ...tenants].map(each => [each.content, each]))
    // In parallel, so that they share transactions: the first read returns all tenants.
    const applying = [...found.values()].map(each =>
      applyOne(each, sharing).catch((error: unknown) => {
        if (!(error instanceof StorageUnavailable)) return applyBroken(each, error)
        failure = error
      }),
    )
    await Promise.all(applying)
    // A tenant's events come after its creation and before its deletion.
    if (!changes.events) events.restart()
    else events.add([...changes.events, ...requests.flatMap(({ tenant, request }) => requestEvents(tenant, request))])
    const lost = new Set(gone)
    for (const { tenant, content = '' } of broken.list()) if (lost.has(content)) directory.remove(tenant)
    if (lost.size > 0)
      for (const tenant of directory.list())
        if (lost.has(tenant.content ?? '') && !isBeingReplaced(tenant)) close(tenant)
    return failure
  }
}

/** Applies another process's change to an open tenant. */
function applyToOpen({ directory, shapes }: SharedTenantsOptions, tenant: Tenant, found: SharedTenant): void {
  const { version } = found
  if (tenant.version === version) return
  const record = checkRecord(found)
  const documents = checkDocuments(found.documents, shapes)
  directory.replaceRecord(tenant, record)
  tenant.adopt({ record, version, documents })
}

/** Returns a throttled function: runs `run` once, `ms` after the first of several calls. */
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

/** Polls for jobs that no process runs, because one crashed or a notification was lost. */
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

  const schedulePoll = () => {
    cancel = timer.after(pollMs, async () => {
      await poll().catch(onError)
      if (!stopped) schedulePoll()
    })
  }
  return {
    async start() {
      await refresh()
      schedulePoll()
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

/** Creates a tenant's sharing. `content` returns the identifier of its current content. */
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
 * Creates a sequence of numbers across processes. `reserve` reserves `count` unused numbers and resolves to the first.
 * Concurrent calls share a reservation. Nothing is reserved ahead, so that numbers follow the order of calls, without
 * gaps in a single process.
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
