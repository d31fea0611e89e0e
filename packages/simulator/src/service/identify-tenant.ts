import { keyHeader } from '@lead-distribution/contract'
import { type OperationName, operations } from '@lead-distribution/contract/shapes'
import type { Call, Layer } from '@lead-distribution/http'
import type { TenantRegistry } from '../tenants/registry.ts'
import { brokenTenant, unauthorized } from './responses.ts'
import type { ServiceCall } from './service-call.ts'

/**
 * Finds the tenant of a call: by its key or, for the pixel, by its lead. Refuses a call without a tenant at once. A call
 * with a key of the wrong scope still gets an entry in the tenant's journal.
 */
export function identifyTenant(registry: TenantRegistry): Layer<ServiceCall> {
  const { refresh } = registry
  return async (call, next) => {
    if (!identify(call, registry)) {
      if (!refresh) return refuseStranger(registry, call)
      // Another process may have created the tenant.
      await refresh()
      if (!identify(call, registry)) return refuseStranger(registry, call)
    }
    return next()
  }
}

/** Sets a call's tenant, and the error for a key of the wrong scope. Returns false if there is no tenant. */
function identify(call: ServiceCall, registry: TenantRegistry): boolean {
  const { operation, query, headers, params } = call
  const { key: scope } = operations[operation]
  const holder = scope === 'lead-token' ? undefined : registry.findKey(headers[keyHeader] ?? '')
  const tenant =
    scope === 'lead-token' ? registry.findByLead(params.lead_id ?? '') : holder && registry.find(holder.tenant)
  if (!tenant) return false
  call.tenant = tenant
  call.ports = tenant.ports
  call.advertiser_id = holder?.advertiser_id ?? ''
  // Keys in URLs end up in logs and are refused. Each key has one fixed scope (Spec 5).
  if (query.has(keyHeader) || (holder && holder.scope !== scope)) call.refused = unauthorized
  return true
}

/** Refuses a call without a tenant. If the tenant is broken, the error says so. */
function refuseStranger(
  { broken, findKey }: TenantRegistry,
  { operation, query, headers, params }: Call<OperationName>,
) {
  const { key: scope } = operations[operation]
  const holder = query.has(keyHeader) ? undefined : findKey(headers[keyHeader] ?? '')
  const isOfBroken =
    scope === 'lead-token'
      ? broken.findByLead(params.lead_id ?? '') !== undefined
      : holder?.scope === scope && broken.find(holder.tenant) !== undefined
  return isOfBroken ? brokenTenant : unauthorized
}
