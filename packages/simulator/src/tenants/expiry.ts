import type { AgeMark } from '../storage/records.ts'
import type { SandboxStorage } from '../storage/sandbox-storage.ts'
import type { Timer } from '../time/clock.ts'
import { readTenant } from './account.ts'
import type { TenantRegistry } from './registry.ts'
import type { Tenant } from './runtime.ts'

export interface ExpiryOptions {
  readonly storage: SandboxStorage
  readonly timer: Timer
  /** Real time, in milliseconds since 1970. */
  readonly now: () => number
  /** The maximum age of leads, requests and snapshots, in milliseconds of real time; undefined for unlimited. */
  readonly maxAgeMs: number | undefined
  readonly onError: (error: unknown) => void
}

/** The part of the registry that expiry uses. */
type WatchedRegistry = Pick<TenantRegistry, 'list' | 'broken' | 'refresh' | 'remove'>

/** Deletes expired tenants and old data. */
export interface Expiry {
  /** Checks now, and then whenever something expires. */
  start(registry: WatchedRegistry): void
  /** Schedules a check by this time, at which a tenant expires, in milliseconds since 1970. */
  checkAt(time: number): void
  /** Starts no more checks; resolves when the running one is done. */
  stop(): Promise<void>
}

/** The number of leads to delete in one transaction: few, because other transactions wait for it. */
const leadsPerStep = 50

/** The minimum and maximum time between two checks, in milliseconds. */
const minPeriodMs = 1_000
const maxPeriodMs = 3_600_000

/**
 * Deletes tenants when they expire, and old data in steps: at startup, then at intervals of a tenth of the maximum age.
 * Each check stores a mark of the tenant's newest lead and request. Once a mark is old enough, everything up to it
 * expires. Records therefore need no timestamp in real time, and tenants' clocks do not matter. If nothing expires, no
 * timer runs.
 */
export function createExpiry(options: ExpiryOptions): Expiry {
  const { timer, now, maxAgeMs, onError } = options
  const periodMs = Math.min(Math.max((maxAgeMs ?? 0) / 10, minPeriodMs), maxPeriodMs)
  let agesAt = maxAgeMs === undefined ? Number.POSITIVE_INFINITY : now()
  let planned: { readonly at: number; readonly cancel: () => void } | undefined
  let started: WatchedRegistry | undefined
  let stopped = false
  let running = Promise.resolve()

  async function check(): Promise<void> {
    const registry = started
    if (!registry) return
    const ageIsDue = now() >= agesAt
    // Another process may have deleted a tenant, and recreated one with the same name.
    await registry.refresh?.().catch(onError)
    for (const tenant of registry.list()) {
      if (stopped) return
      const { tenant: name, expires_at = Number.POSITIVE_INFINITY } = tenant.record
      // A failure, such as a tenant deleted in the meantime, must not stop the others from expiring.
      if (expires_at <= now()) {
        await registry.remove(name).catch(onError)
        continue
      }
      if (ageIsDue && maxAgeMs !== undefined)
        await deleteOld(tenant, { ...options, maxAgeMs }, () => stopped).catch(onError)
    }
    for (const { tenant, record } of registry.broken.list())
      if ((record?.expires_at ?? Number.POSITIVE_INFINITY) <= now()) await registry.remove(tenant).catch(onError)
    if (ageIsDue) agesAt = now() + periodMs
    checkAt(agesAt)
    for (const { record } of [...registry.list(), ...registry.broken.list()])
      if (record?.expires_at !== undefined) checkAt(record.expires_at)
  }

  function checkAt(time: number): void {
    if (!started || stopped || time === Number.POSITIVE_INFINITY || (planned && planned.at <= time)) return
    planned?.cancel()
    // Timers have a maximum wait. A check that runs early finds nothing and is scheduled again.
    const cancel = timer.after(Math.max(time - now(), minPeriodMs), () => {
      planned = undefined
      running = running.then(check)
    })
    planned = { at: time, cancel }
  }

  return {
    start(registry) {
      started = registry
      running = check()
    },
    checkAt,
    async stop() {
      stopped = true
      planned?.cancel()
      await running
    },
  }
}

/** Deletes a tenant's old data, and marks its newest records. */
async function deleteOld(
  { record, storage: tenantStorage, lock }: Tenant,
  { storage, now, maxAgeMs }: Pick<ExpiryOptions, 'storage' | 'now'> & { readonly maxAgeMs: number },
  isStopped: () => boolean,
): Promise<void> {
  const { tenant } = record
  const before = now() - maxAgeMs
  for (const { name, saved_at } of await storage.listSnapshots(tenant))
    if (saved_at <= before) await storage.deleteSnapshot(tenant, name)

  // Takes the lock for each step, so that a reset or a restore doesn't wait for all of them.
  const step = <Result>(run: () => Promise<Result>) => lock.shared(run)
  const due = await step(() =>
    tenantStorage.transact(async tables => {
      const { newest, newestRequest, ages } = (await readTenant(record, tables)).state
      const due = ages.findLast(({ at }) => at <= before)
      const kept = ages.filter(({ at }) => at > before)
      // The due mark stays until the next check, because numbering continues after it once everything up to it is deleted.
      const marks = [...(due ? [due] : []), ...kept]
      if (isFurther({ newest, newestRequest }, marks.at(-1))) marks.push({ at: now(), newest, newestRequest })
      if (marks.length !== ages.length || marks.at(-1) !== ages.at(-1)) await tables.writeDocument('ages', marks)
      if (due) await tables.trimRequests(due.newestRequest + 1)
      return due
    }),
  )
  const through = due?.newest.lead_id
  if (through === undefined) return
  let removed = leadsPerStep
  while (removed === leadsPerStep && !isStopped())
    removed = await step(() => tenantStorage.transact(tables => tables.removeLeads(through, leadsPerStep)))
  storage.erase?.()
}

function isFurther(now: Omit<AgeMark, 'at'>, last: AgeMark | undefined): boolean {
  return now.newest.lead_id !== last?.newest.lead_id || now.newestRequest !== (last?.newestRequest ?? 0)
}
