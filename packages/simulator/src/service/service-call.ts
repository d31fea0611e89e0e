import type { OperationName } from '@lead-distribution/contract/shapes'
import type { Call } from '@lead-distribution/http'
import type { Metrics } from '../journal/metrics.ts'
import type { FaultRecord } from '../storage/records.ts'
import type { TenantRegistry } from '../tenants/registry.ts'
import type { Tenant } from '../tenants/runtime.ts'
import type { DecidedVersion, EnginePorts } from '../tenants/sharing.ts'
import type { Timer } from '../time/clock.ts'

/** A service call. `identifyTenant` sets the tenant and its ports, `journalFailures` the time. */
export interface ServiceCall extends Call<OperationName> {
  tenant: Tenant
  ports: EnginePorts
  /** Empty except for an advertiser's key. */
  advertiser_id: string
  /** Milliseconds since 1970 on the tenant's clock. A retry updates it. */
  at: number
  /** Monotonic milliseconds. */
  began: number
  /** The fault that acts on the call. */
  fault?: FaultRecord | undefined
  /** The tenant's version that the call is decided on, if processes share the tenant. */
  decided?: DecidedVersion | undefined
}

export interface LeadServiceOptions {
  readonly registry: TenantRegistry
  readonly timer: Timer
  /** Monotonic milliseconds, for durations. */
  readonly now: () => number
  readonly metrics: Metrics
  readonly onError: (error: unknown) => void
}
