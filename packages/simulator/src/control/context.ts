import type { Settings } from '@lead-distribution/engine'
import type { HandledOperation, Handlers, Refusal } from '@lead-distribution/http'
import type { CallService } from '../advertisers/advertiser-network.ts'
import type { Place } from '../never-distribute/callback-target.ts'
import type { Urls } from '../paths.ts'
import type { Entropy } from '../random/seeded-random.ts'
import type { SandboxStorage } from '../storage/sandbox-storage.ts'
import type { EventHub } from '../stream/event-hub.ts'
import type { BrokenTenant } from '../tenants/broken-tenants.ts'
import type { DemoOptions } from '../tenants/demo-tenant.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { TenantRegistry } from '../tenants/tenant-registry.ts'
import type { Principal } from './access.ts'
import { noSuchTenant, refuseBroken } from './control-error.ts'

/** What the handlers of the control plane work on. */
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
  readonly place: Place
  /** The service, for what simulated advertisers report. */
  readonly call: CallService
  readonly events: EventHub
  /** The options of the demo tenant. */
  readonly demo: DemoOptions
}

/** The handlers of one group of operations. */
export type ControlHandlers<Operations extends Readonly<Record<string, HandledOperation>>> = Handlers<
  Operations,
  Principal
>

/** Makes handlers that work on the tenant of the path; on a broken one, only where they say how. */
export function onTenants({ registry }: Pick<ControlContext, 'registry'>) {
  return <Call extends { readonly params: { readonly tenant: string } }, Result>(
    run: (tenant: Tenant, call: Call) => Promise<Result | Refusal>,
    runOnBroken = async (tenant: BrokenTenant): Promise<Result | Refusal> => refuseBroken(tenant),
  ) =>
    async (_principal: Principal, call: Call): Promise<Result | Refusal> => {
      const { tenant: name } = call.params
      const tenant = registry.find(name)
      const broken = registry.broken.find(name)
      if (!tenant) return broken ? runOnBroken(broken) : noSuchTenant
      try {
        return await run(tenant, call)
      } catch (error) {
        if (registry.isGone(tenant, error)) return noSuchTenant
        throw error
      }
    }
}

/** The tenants that a principal's token opens. */
export function openTo({ tenant: own }: Principal, { registry }: Pick<ControlContext, 'registry'>): Tenant[] {
  return registry.list().filter(({ record }) => own === undefined || record.tenant === own)
}

/** A time as the control plane shows it. */
export const iso = (ms: number) => new Date(ms).toISOString()
