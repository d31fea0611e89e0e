import { TenantChanged, TenantGone } from '../storage/storage-unavailable.ts'
import type { TenantRegistry } from '../tenants/registry.ts'
import type { SeenTenant, Tenant } from '../tenants/runtime.ts'

/** The part of a caller with its tenant, and the version that its call is decided by. */
export interface Seeing {
  readonly tenant: Tenant
  /** Set where processes share the tenant, until what this process knows of it is certain. */
  seen?: SeenTenant | undefined
}

/** The number of tries on what this process knows, before a call asks first. */
const maxTries = 3

/**
 * Runs a call on what this process knows of a shared tenant, and again where another one had changed it before: nothing of
 * the call is stored then. Nothing is asked before, so that a call which stores something waits for one answer less.
 */
export async function upToDate<Result>(
  { find }: Pick<TenantRegistry, 'find'>,
  refresh: () => Promise<void>,
  caller: Seeing,
  run: () => Promise<Result>,
): Promise<Result> {
  const { tenant } = caller
  // A fault that acts once must not act on a call that is run again.
  for (let tries = 0; tries < maxTries && tenant.faults.list().length === 0; tries++) {
    const seen = { version: tenant.version, isConfirmed: false }
    caller.seen = seen
    try {
      return await run()
    } catch (error) {
      // One that stored something is not run again.
      if (seen.isConfirmed || !(error instanceof TenantChanged)) throw error
      await refresh()
      const { tenant: name } = tenant.record
      if (tenant.hasEnded) throw find(name) ? error : new TenantGone(`There is no tenant ${name}.`)
    }
  }
  await refresh()
  caller.seen = undefined
  return run()
}

/**
 * Makes sure that a call was decided by what is stored of its tenant. One that stored something found out by that; for
 * another one it is looked up.
 * @throws {TenantChanged} if another process had changed it before.
 */
export async function confirm({ tenant, seen }: Seeing, refresh: () => Promise<void>): Promise<void> {
  if (!seen || seen.isConfirmed) return
  await refresh()
  if (tenant.hasEnded || tenant.version !== seen.version) throw new TenantChanged()
  seen.isConfirmed = true
}
