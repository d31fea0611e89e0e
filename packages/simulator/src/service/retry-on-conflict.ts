import type { Layer } from '@lead-distribution/http'
import { TenantChanged, TenantGone } from '../storage/storage-unavailable.ts'
import type { TenantRegistry } from '../tenants/registry.ts'
import type { ServiceCall } from './service-call.ts'

/** The number of optimistic tries, before a call refreshes the tenant first. */
const maxTries = 3

/**
 * Runs a call of a tenant that processes share optimistically, on the cached tenant, so that a call which stores something
 * costs no round trip more. If another process had changed the tenant before, nothing was stored, and the call runs again.
 */
export function retryOnConflict(
  { find }: Pick<TenantRegistry, 'find'>,
  refresh: () => Promise<void>,
): Layer<ServiceCall> {
  return async (call, next) => {
    const { tenant } = call
    // A fault that acts once must not act on a call that runs again.
    for (let tries = 0; tries < maxTries && tenant.faults.list().length === 0; tries++) {
      const decided = { version: tenant.version, isConfirmed: false }
      call.decided = decided
      call.at = tenant.clock.now()
      try {
        return await next()
      } catch (error) {
        // One that stored something does not run again.
        if (decided.isConfirmed || !(error instanceof TenantChanged)) throw error
        await refresh()
        const { tenant: name } = tenant.record
        if (tenant.hasEnded) throw find(name) ? error : new TenantGone(`There is no tenant ${name}.`)
      }
    }
    await refresh()
    call.decided = undefined
    call.at = tenant.clock.now()
    return next()
  }
}

/**
 * Makes sure that a call was decided by what is stored of its tenant. One that stored something found out by that; for
 * another one it is looked up.
 */
export function confirmVersion(refresh: () => Promise<void>): Layer<ServiceCall> {
  return async (call, next) => {
    const response = await next()
    const { tenant, decided } = call
    if (!decided || decided.isConfirmed) return response
    await refresh()
    if (tenant.hasEnded || tenant.version !== decided.version) throw new TenantChanged()
    decided.isConfirmed = true
    return response
  }
}

/** Gives a call its own ports: the id of the record that it adds is reserved among those of all processes. */
export const reserveId: Layer<ServiceCall> = (call, next) => {
  const { tenant, operation, decided } = call
  call.ports = tenant.sharedPorts?.(operation === 'submitLead' ? 'lead' : 'callback', decided) ?? call.ports
  return next()
}
