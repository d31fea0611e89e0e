import type { Clock } from '@lead-distribution/engine'
import type { SandboxStorage } from '../storage/sandbox-storage.ts'
import type { SharedChanges, SharedStorage, SharedTenant } from '../storage/shared-storage.ts'
import { StorageUnavailable } from '../storage/unavailable.ts'
import type { EventHub } from '../stream/event-hub.ts'
import type { Timer } from '../time/clock.ts'
import { joined } from '../time/locks.ts'
import { type BrokenTenants, checkDocuments, checkRecord, readStored, type StoredShapes } from './broken-tenants.ts'
import type { OpenTenants } from './open-tenants.ts'
import { createOtherProcesses } from './other-processes.ts'
import type { Tenant } from './tenant.ts'
import { createTenantSharing, type Sharing } from './tenant-sharing.ts'

/** What keeps the open tenants of this process as the storage has them. */
export interface SharedTenants extends Sharing {
  /** Runs a change of a tenant, from how any process left it, while no process runs another one. */
  exclusive<Result>(name: string, run: () => Promise<Result>): Promise<Result>
  /** Runs what replaces the content of a tenant, which then goes on with the new one. */
  replacing<Result>(tenant: Tenant, run: () => Promise<Result>): Promise<Result>
  /** Opens all tenants, and looks now and then for what other processes left behind: they may have died. */
  start(): Promise<void>
  stop(): void
}

/** What sharing works on. */
export interface SharedTenantsOptions {
  readonly shared: SharedStorage
  readonly storage: SandboxStorage
  readonly open: OpenTenants
  readonly broken: BrokenTenants
  readonly shapes: StoredShapes
  readonly events: EventHub
  /** Ends what a tenant still does that is not open any more. */
  readonly endWork: (tenant: Tenant) => void
  readonly steadyClock: Clock
  readonly timer: Timer
  readonly onError: (error: unknown) => void
}

/** How often a process looks for what nobody does, and the safety net of what is notified, milliseconds. */
const pollMs = 1_000

/** How often a look is repeated because a tenant was gone before it could be opened. */
const mostLooks = 5

/** Sharing over what is open. It looks before each call, so that a change by one process holds for the next by any other. */
export function createSharedTenants(options: SharedTenantsOptions): SharedTenants {
  const { shared, steadyClock } = options
  const beingReplaced = new Set<Tenant>()
  let aheadMs = 0
  const takeOver = createTakeOver(options, tenant => beingReplaced.has(tenant))

  const refresh = joined(async () => {
    let failure: unknown
    for (let looks = 0; looks < mostLooks; looks++) {
      const look = await shared.look()
      aheadMs = look.now - steadyClock.now()
      failure = await takeOver(look, sharing)
      if (!failure) return
    }
    throw new StorageUnavailable('Some tenants could not be read: try again.', { cause: failure })
  })

  const settleElsewhere = createOtherProcesses({ ...options, refresh })

  const leaseClock = { now: () => steadyClock.now() + aheadMs }
  const ofTenants = { storage: shared, refresh, settleElsewhere, leaseClock, timer: options.timer }
  const sharing: SharedTenants = {
    of: (tenant, content) => createTenantSharing(ofTenants, tenant, content),
    refresh,
    settleElsewhere,
    exclusive: (name, run) =>
      shared.exclusive(name, async () => {
        await refresh()
        return run()
      }),
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

/** What takes over a look. It resolves to an error where a tenant could not be opened: with the next look it is gone, or it can. */
function createTakeOver(options: SharedTenantsOptions, isBeingReplaced: (tenant: Tenant) => boolean) {
  const { storage, open, broken, shapes, events, endWork } = options
  /** What could not be opened yet, by its content. */
  const unopened = new Map<string, SharedTenant>()

  function close(tenant: Tenant): void {
    open.remove(tenant)
    open.announceDeleted(tenant)
    endWork(tenant)
  }

  async function takeOverOne(found: SharedTenant, sharing: Sharing): Promise<void> {
    const { tenant: name, content, version } = found
    const tenant = open.tenants.get(name)
    if (tenant?.content === content) return takeOverOpen(options, tenant, found)
    // This process does it itself, and goes on with what it stored.
    if (tenant && isBeingReplaced(tenant)) return void Object.assign(tenant, { content, version })
    unopened.set(content, found)
    const expected = () => content
    const stored = await readStored(found, storage.of(name, expected), shapes)
    unopened.delete(content)
    const opened = await open.add(stored, { ...found, sharing })
    broken.remove(name)
    if (tenant) endWork(tenant)
    opened.scheduler.wake()
  }

  /** Takes over what cannot be opened: another look would find the same. */
  async function takeOverBroken(found: SharedTenant, error: unknown): Promise<void> {
    unopened.delete(found.content)
    const { content, version } = broken.find(found.tenant) ?? {}
    if (content === found.content && version === found.version) return
    const tenant = open.tenants.get(found.tenant)
    await broken.add(found, error)
    if (tenant) close(tenant)
  }

  return async (look: SharedChanges, sharing: Sharing): Promise<unknown> => {
    const { tenants, gone } = look
    let failure: unknown
    events.readElsewhere(look.readElsewhere)
    for (const content of gone) unopened.delete(content)
    const found = new Map([...unopened.values(), ...tenants].map(each => [each.content, each]))
    // Together, so that they share transactions: the first look has every tenant.
    const taking = [...found.values()].map(each =>
      takeOverOne(each, sharing).catch((error: unknown) => {
        if (!(error instanceof StorageUnavailable)) return takeOverBroken(each, error)
        failure = error
      }),
    )
    await Promise.all(taking)
    // What happened to a tenant comes behind its creation and before its end.
    if (look.events) events.take(look.events)
    else events.restart()
    const lost = new Set(gone)
    for (const { tenant, content = '' } of broken.list()) if (lost.has(content)) broken.remove(tenant)
    if (lost.size > 0)
      for (const tenant of [...open.tenants.values()])
        if (lost.has(tenant.content ?? '') && !isBeingReplaced(tenant)) close(tenant)
    return failure
  }
}

/** Takes over what another process changed of a tenant that is open. */
function takeOverOpen({ open, shapes }: SharedTenantsOptions, tenant: Tenant, found: SharedTenant): void {
  const { version } = found
  if (tenant.version === version) return
  const record = checkRecord(found, shapes)
  const documents = checkDocuments(found.documents, shapes)
  open.replaceRecord(tenant, record)
  tenant.takeOver({ record, version, documents })
}

/** Looks for what nobody does, because a process died or a notification was lost. */
function createPolling(
  { shared, open, events, timer, onError }: SharedTenantsOptions,
  refresh: () => Promise<void>,
): Pick<SharedTenants, 'start' | 'stop'> {
  let stopped = false
  let cancel: (() => void) | undefined

  async function poll(): Promise<void> {
    await refresh()
    await Promise.all([shared.readStreams(events.streams()), shared.removeOld()])
    for (const { tenant: name, due_at } of await shared.listWaiting()) {
      const tenant = open.tenants.get(name)
      if (tenant && due_at <= tenant.clock.now()) tenant.scheduler.wake()
    }
    for (const { progress } of open.tenants.values()) progress.notify()
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
