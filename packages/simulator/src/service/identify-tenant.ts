import { keyHeader } from '@lead-distribution/contract'
import { type OperationName, operations } from '@lead-distribution/contract/shapes'
import type { Call, Layer } from '@lead-distribution/http'
import type { TenantRegistry } from '../tenants/registry.ts'
import { brokenTenant, unauthorized } from './responses.ts'
import type { ServiceCall } from './service-call.ts'

/**
 * Finds the tenant of a call: by its key, or at the pixel by its lead. A call of no tenant is refused at once; one whose key
 * is of another scope belongs to the tenant's journal too.
 */
export function identifyTenant(registry: TenantRegistry): Layer<ServiceCall> {
  const { refresh } = registry
  return async (call, next) => {
    if (!identify(call, registry)) {
      if (!refresh) return refuseStranger(registry, call)
      // Another process may have created it.
      await refresh()
      if (!identify(call, registry)) return refuseStranger(registry, call)
    }
    return next()
  }
}

/** Sets the tenant of a call, and the refusal of a key that does not open the operation. Returns false if there is none. */
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
  // A key in a URL ends up in logs, so it is refused there; and each key has the one scope it was made for (Spec 5).
  if (query.has(keyHeader) || (holder && holder.scope !== scope)) call.refused = unauthorized
  return true
}

/** Refuses a call of no tenant; one of a tenant that could not be opened says so. */
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
