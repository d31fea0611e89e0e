import type { Clock } from '@lead-distribution/engine'
import type { SandboxStorage } from '../storage/sandbox-storage.ts'
import type { SharedStorage, SharedTenant } from '../storage/shared-storage.ts'
import { StorageUnavailable } from '../storage/unavailable.ts'
import type { Timer } from '../time/clock.ts'
import type { OpenTenants } from './open-tenants.ts'
import type { Tenant } from './tenant.ts'
import { readTenant } from './tenant-account.ts'

/** What the tenants of a process need where others share their storage. */
export interface Sharing {
  readonly storage: SharedStorage
  /** Takes over what any process changed before. Calls that wait together share a look. */
  refresh(): Promise<void>
  /** The database's clock, by which leases run. */
  readonly clock: Clock
}

/** What keeps the open tenants of this process as the storage has them. */
export interface SharedTenants extends Sharing {
  /** Runs a change of a tenant, from how any process left it, while no process runs another one. */
  exclusive<Result>(name: string, run: () => Promise<Result>): Promise<Result>
  /** Runs what replaces the content of a tenant, which then goes on with the new one. */
  replacing<Result>(tenant: Tenant, run: () => Promise<Result>): Promise<Result>
  /** Looks now and then for what other processes left behind: they may have died. */
  startPolling(): void
  stop(): void
}

/** What sharing works on. */
export interface SharedTenantsOptions {
  readonly shared: SharedStorage
  readonly storage: SandboxStorage
  readonly open: OpenTenants
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
  const { shared, storage, open, endWork, steadyClock, timer, onError } = options
  const beingReplaced = new Set<Tenant>()
  /** What could not be opened, by its content. */
  const unopened = new Map<string, SharedTenant>()
  let aheadMs = 0
  let stopped = false
  let cancelPoll: (() => void) | undefined

  async function openTenant(found: SharedTenant): Promise<void> {
    const { record, content } = found
    unopened.set(content, found)
    const { transact } = storage.of(record.tenant, () => content)
    const stored = await transact(tables => readTenant(record, tables))
    unopened.delete(content)
    ;(await open.add(stored, { ...found, sharing })).scheduler.wake()
  }

  async function takeOver(found: SharedTenant): Promise<void> {
    const { record, content, version } = found
    const tenant = open.tenants.get(record.tenant)
    if (tenant?.content === content) {
      if (tenant.version === version) return
      if (JSON.stringify(tenant.record) !== JSON.stringify(record)) open.replaceRecord(tenant, record)
      tenant.takeOver(found)
      return
    }
    if (tenant && beingReplaced.has(tenant)) {
      Object.assign(tenant, { content, version })
      return
    }
    if (tenant) close(tenant)
    await openTenant(found)
  }

  function close(tenant: Tenant): void {
    open.remove(tenant)
    endWork(tenant)
  }

  async function look(): Promise<void> {
    for (let looks = 0; looks < mostLooks; looks++) {
      const { tenants, gone, now } = await shared.look()
      aheadMs = now - steadyClock.now()
      for (const content of gone) unopened.delete(content)
      // What cannot be opened is gone with the next look, or the database does not answer.
      for (const found of new Map([...unopened.values(), ...tenants].map(each => [each.content, each])).values())
        await takeOver(found).catch(onError)
      for (const tenant of [...open.tenants.values()])
        if (gone.includes(tenant.content ?? '') && !beingReplaced.has(tenant)) close(tenant)
      if (unopened.size === 0) return
    }
    throw new StorageUnavailable('Some tenants could not be read: try again.')
  }

  const refresh = joined(look)

  async function poll(): Promise<void> {
    await refresh()
    for (const { tenant: name, due_at } of await shared.listWaiting()) {
      const tenant = open.tenants.get(name)
      if (tenant && due_at <= tenant.clock.now()) tenant.scheduler.wake()
    }
    for (const { progress } of open.tenants.values()) progress.notify()
  }

  function pollLater(): void {
    cancelPoll = timer.after(
      pollMs,
      () =>
        void poll()
          .catch(onError)
          .then(() => stopped || pollLater()),
    )
  }

  shared.onNotified(name => open.tenants.get(name)?.progress.notify())

  const sharing: SharedTenants = {
    storage: shared,
    refresh,
    clock: { now: () => steadyClock.now() + aheadMs },
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
    startPolling: pollLater,
    stop() {
      stopped = true
      cancelPoll?.()
    },
  }
  return sharing
}

/** Runs of a work one after the other; calls that come during one share the next. */
function joined(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  function start(): Promise<void> {
    running = run().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (!running) return start()
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return start()
      })
    return next
  }
}
