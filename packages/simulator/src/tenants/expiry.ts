import type { AgeMark } from '../storage/records.ts'
import type { SandboxStorage } from '../storage/sandbox-storage.ts'
import type { Timer } from '../time/clock.ts'
import type { Tenant } from './tenant.ts'
import { readTenant } from './tenant-account.ts'

/** What the expiry of a sandbox works on. */
export interface ExpiryOptions {
  readonly storage: SandboxStorage
  readonly tenants: () => Iterable<Tenant>
  readonly timer: Timer
  /** Real time, milliseconds since 1970. */
  readonly now: () => number
  /** How old a lead, a request or a snapshot may become, milliseconds of real time. */
  readonly maxAgeMs: number
  readonly onError: (error: unknown) => void
}

/** Deletes what has become too old. */
export interface Expiry {
  /** Starts nothing more; resolves when what is under way is done. */
  stop(): Promise<void>
}

/** How many leads are deleted in one transaction: few, since others wait for it. */
const leadsPerStep = 50

/** The least and the most time between two looks, milliseconds. */
const leastPeriodMs = 1_000
const mostPeriodMs = 3_600_000

/**
 * Deletes what has become too old, in steps, from now on and then every tenth of the age. Each look marks how far a
 * tenant's leads and requests go; a mark that is old enough tells which are. So nothing needs a time of its own, and
 * what a tenant's clock shows does not matter.
 */
export function startExpiry(options: ExpiryOptions): Expiry {
  const { tenants, timer, maxAgeMs, onError } = options
  const periodMs = Math.min(Math.max(maxAgeMs / 10, leastPeriodMs), mostPeriodMs)
  let stopped = false
  let cancel: (() => void) | undefined
  let running = look()

  async function look(): Promise<void> {
    for (const tenant of tenants()) {
      if (stopped) return
      // A tenant that fails, such as one that was deleted meanwhile, does not keep the others from it.
      await expire(tenant, options, () => stopped).catch(onError)
    }
    cancel = timer.after(periodMs, () => {
      if (!stopped) running = look()
    })
  }

  return {
    async stop() {
      stopped = true
      cancel?.()
      await running
    },
  }
}

/** Deletes what is too old of one tenant, and marks how far it goes now. */
async function expire(
  { record, storage: tenantStorage, lock }: Tenant,
  { storage, now, maxAgeMs }: ExpiryOptions,
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
