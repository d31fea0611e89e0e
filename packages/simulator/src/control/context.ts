import type { NearMissFinder } from '@lead-distribution/diagnostics'
import type { Settings } from '@lead-distribution/engine'
import type { Call, JsonResponse } from '@lead-distribution/http'
import type { CallService } from '../advertisers/report-as-advertiser.ts'
import type { Urls } from '../pages/urls.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { SandboxStorage } from '../ports/sandbox-storage.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { TenantRegistry } from '../tenants/tenant-registry.ts'
import { noSuchTenant } from './control-error.ts'

/** What the calls of the control plane work on. */
export interface ControlContext {
  readonly registry: TenantRegistry
  readonly storage: SandboxStorage
  readonly urls: Urls
  readonly entropy: Entropy
  /** Real time, milliseconds since 1970. */
  readonly now: () => number
  /** The profile of a tenant that names none. */
  readonly profile?: Settings['profile'] | undefined
  readonly allowedCallbackHosts: readonly string[]
  /** The service, for what simulated advertisers report. */
  readonly call: CallService
  readonly findNearMisses: NearMissFinder
}

/** A call of the control plane as it is implemented. */
export type ControlCall = (call: Call) => Promise<JsonResponse>

/** The calls of one group of operations. */
export type ControlCalls<Operations> = Readonly<Record<keyof Operations, ControlCall>>

/** Makes calls that begin with finding the tenant of the path. */
export function onTenants({ registry }: Pick<ControlContext, 'registry'>) {
  return (run: (tenant: Tenant, call: Call) => Promise<JsonResponse>): ControlCall =>
    async call => {
      const tenant = registry.find(call.params.tenant ?? '')
      if (!tenant) return noSuchTenant
      try {
        return await run(tenant, call)
      } catch (fault) {
        // Deleted while the call was under way.
        if (registry.find(tenant.record.tenant) !== tenant) return noSuchTenant
        throw fault
      }
    }
}

/** Makes calls that change what a tenant has: they are over, or not begun, while the tenant is put back or saved. */
export function onOpenTenants(context: Pick<ControlContext, 'registry'>) {
  const onTenant = onTenants(context)
  return (run: (tenant: Tenant, call: Call) => Promise<JsonResponse>): ControlCall =>
    onTenant((tenant, call) => tenant.gate.pass(() => run(tenant, call)))
}

/** A time as the control plane shows it. */
export const iso = (ms: number) => new Date(ms).toISOString()

/** A reply that says it is done. */
export const done = (body: object, status = 200): JsonResponse => ({ status, body })
