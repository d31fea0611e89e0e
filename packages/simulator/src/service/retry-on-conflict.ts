import type { Layer } from '@lead-distribution/http'
import { TenantChanged, TenantGone } from '../storage/storage-unavailable.ts'
import type { TenantRegistry } from '../tenants/registry.ts'
import type { ServiceCall } from './service-call.ts'

/** The maximum number of optimistic attempts. After that, a call refreshes the tenant first. */
const maxTries = 3

/**
 * Runs a shared tenant's call optimistically on the cached tenant, which saves a write one round trip. If another process
 * has changed the tenant, the transaction fails and the call is retried.
 */
export function retryOnConflict(
  { find }: Pick<TenantRegistry, 'find'>,
  refresh: () => Promise<void>,
): Layer<ServiceCall> {
  return async (call, next) => {
    const { tenant } = call
    // Not with faults: one that acts once must not be used up by a call that is retried.
    for (let tries = 0; tries < maxTries && tenant.faults.list().length === 0; tries++) {
      const decided = { version: tenant.version, isConfirmed: false }
      call.decided = decided
      call.at = tenant.clock.now()
      try {
        return await next()
      } catch (error) {
        // A call that has already committed is not retried.
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
 * Makes sure that a call was decided on the tenant's stored version. A call that wrote has checked the version in its
 * transaction; for any other, this layer checks.
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

/** Gives a call its own ports, with an id for the record that it adds, reserved across all processes. */
export const reserveId: Layer<ServiceCall> = (call, next) => {
  const { tenant, operation, decided } = call
  call.ports = tenant.sharedPorts?.(operation === 'submitLead' ? 'lead' : 'callback', decided) ?? call.ports
  return next()
}
