import type { AgeMark } from '../storage/records.ts'
import type { SandboxStorage } from '../storage/sandbox-storage.ts'
import type { Timer } from '../time/clock.ts'
import type { Tenant } from './tenant.ts'
import { readTenant } from './tenant-account.ts'
import type { TenantRegistry } from './tenant-registry.ts'

/** What the expiry of a sandbox works on. */
export interface ExpiryOptions {
  readonly storage: SandboxStorage
  readonly registry: Pick<TenantRegistry, 'list' | 'broken' | 'refresh' | 'remove'>
  readonly timer: Timer
  /** Real time, milliseconds since 1970. */
  readonly now: () => number
  /** How old a lead, a request or a snapshot may become, milliseconds of real time; undefined for without end. */
  readonly maxAgeMs: number | undefined
  readonly onError: (error: unknown) => void
}

/** Deletes tenants that expire, and what has become too old. */
export interface Expiry {
  /** Looks again at this time at the latest, milliseconds since 1970: a tenant expires then. */
  lookAt(time: number): void
  /** Starts nothing more; resolves when what is under way is done. */
  stop(): Promise<void>
}

/** How many leads are deleted in one transaction: few, since others wait for it. */
const leadsPerStep = 50

/** The least and the most time between two looks, milliseconds. */
const leastPeriodMs = 1_000
const mostPeriodMs = 3_600_000

/**
 * Deletes tenants when they expire, and what has become too old in steps, from now on and then every tenth of the age.
 * Each look marks how far a tenant's leads and requests go; a mark that is old enough shows which expire. So nothing needs
 * its own time, and what a tenant's clock shows does not matter. Where nothing expires, no timer runs.
 */
export function startExpiry(options: ExpiryOptions): Expiry {
  const { registry, timer, now, maxAgeMs, onError } = options
  const periodMs = Math.min(Math.max((maxAgeMs ?? 0) / 10, leastPeriodMs), mostPeriodMs)
  let agesAt = maxAgeMs === undefined ? Number.POSITIVE_INFINITY : now()
  let planned: { readonly at: number; readonly cancel: () => void } | undefined
  let stopped = false
  let running = look()

  async function look(): Promise<void> {
    const ageIsDue = now() >= agesAt
    // Another process may have deleted a tenant, and one of its name been created since.
    await registry.refresh?.().catch(onError)
    for (const tenant of registry.list()) {
      if (stopped) return
      const { tenant: name, expires_at = Number.POSITIVE_INFINITY } = tenant.record
      // A tenant that fails, such as one that was deleted meanwhile, does not keep the others from it.
      if (expires_at <= now()) await registry.remove(name).catch(onError)
      else if (ageIsDue && maxAgeMs !== undefined)
        await deleteOld(tenant, { ...options, maxAgeMs }, () => stopped).catch(onError)
    }
    for (const { tenant, record } of registry.broken.list())
      if ((record?.expires_at ?? Number.POSITIVE_INFINITY) <= now()) await registry.remove(tenant).catch(onError)
    if (ageIsDue) agesAt = now() + periodMs
    lookAt(agesAt)
    for (const { record } of [...registry.list(), ...registry.broken.list()])
      if (record?.expires_at !== undefined) lookAt(record.expires_at)
  }

  function lookAt(time: number): void {
    if (stopped || time === Number.POSITIVE_INFINITY || (planned && planned.at <= time)) return
    planned?.cancel()
    // A timer waits no longer than it can: it looks in vain then, and again later.
    const cancel = timer.after(Math.max(time - now(), leastPeriodMs), () => {
      planned = undefined
      running = running.then(look)
    })
    planned = { at: time, cancel }
  }

  return {
    lookAt,
    async stop() {
      stopped = true
      planned?.cancel()
      await running
    },
  }
}

/** Deletes what is too old of one tenant, and marks how far it goes now. */
async function deleteOld(
  { record, storage: tenantStorage, lock }: Tenant,
  { storage, now, maxAgeMs }: Pick<ExpiryOptions, 'storage' | 'now'> & { readonly maxAgeMs: number },
  isStopped: () => boolean,
): Promise<void> {
  const { tenant } = record
  const before = now() - maxAgeMs
  for (const { name, saved_at } of await storage.listSnapshots(tenant))
    if (saved_at <= before) await storage.deleteSnapshot(tenant, name)

  // Shared step by step: a reset or a restore need not wait for all of it.
  const step = <Result>(run: () => Promise<Result>) => lock.shared(run)
  const due = await step(() =>
    tenantStorage.transact(async tables => {
      const { newest, newestRequest, ages } = (await readTenant(record, tables)).state
      const due = ages.findLast(({ at }) => at <= before)
      const kept = ages.filter(({ at }) => at > before)
      // The one that is due stays until the next look: numbering goes on after it when all that it covers is deleted.
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
    removed = await step(() => storage.removeLeads(tenant, through, leadsPerStep))
}

function isFurther(now: Omit<AgeMark, 'at'>, last: AgeMark | undefined): boolean {
  return now.newest.lead_id !== last?.newest.lead_id || now.newestRequest !== (last?.newestRequest ?? 0)
}
