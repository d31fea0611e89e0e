import { basePath, maxBodyBytes } from '@lead-distribution/contract'
import type { OperationName } from '@lead-distribution/contract/shapes'
import {
  type Call,
  createService,
  type Layer,
  type RequestHandler,
  readInput,
  refuseCall,
} from '@lead-distribution/http'
import { brokenByScenario } from '../faults/scenarios.ts'
import type { Metrics } from '../journal/metrics.ts'
import type { FaultRecord } from '../storage/records.ts'
import { refuseUnavailable } from '../storage/storage-unavailable.ts'
import type { TenantRegistry } from '../tenants/registry.ts'
import type { SeenTenant, Tenant } from '../tenants/runtime.ts'
import type { Timer } from '../time/clock.ts'
import { applyFault } from './apply-fault.ts'
import { identifyTenant } from './identify-tenant.ts'
import { serviceOperations } from './operations.ts'
import type { ServiceResponse } from './responses.ts'
import { retryOnConflict } from './retry-on-conflict.ts'
import { writeJournal } from './write-journal.ts'

/** A call of the service. `identifyTenant` sets the tenant, and `writeJournal` the time. */
export interface ServiceCall extends Call<OperationName> {
  tenant: Tenant
  /** Empty except for an advertiser's key. */
  advertiser_id: string
  /** Milliseconds since 1970 on the tenant's clock. */
  at: number
  /** The fault that acts on the call. */
  fault?: FaultRecord | undefined
  /** The version of the tenant that the call is decided by, if processes share it. */
  seen?: SeenTenant | undefined
}

export interface LeadServiceOptions {
  readonly registry: TenantRegistry
  readonly timer: Timer
  /** Monotonic milliseconds, for durations. */
  readonly now: () => number
  readonly metrics: Metrics
  readonly onError: (error: unknown) => void
}

/** Creates the service of the specification, for all tenants: the key selects the tenant, the lead's id at the pixel. */
export function createLeadService(options: LeadServiceOptions): RequestHandler {
  const { registry, onError } = options
  return createService<OperationName, ServiceCall>({
    basePath,
    operations: serviceOperations,
    context: { onError },
    layers: [
      refuseUnavailable(onError),
      identifyTenant(registry),
      readInput({ maxBodyBytes }),
      writeJournal(options),
      ...(registry.refresh ? [retryOnConflict(registry, registry.refresh)] : []),
      applyFault(options),
      holdTenant,
      applyScenario,
      refuseCall,
    ],
    onError,
  })
}

/** Keeps a restore, a reset or a save waiting until the call is done. */
const holdTenant: Layer<ServiceCall> = ({ tenant }, next) => tenant.lock.shared(next)

/** Breaks the response if the scenario of its lead says so. The handler applies the outcome that a scenario forces. */
const applyScenario: Layer<ServiceCall> = async (_call, next) => {
  const response: ServiceResponse = await next()
  const broken = brokenByScenario(response.notes?.forced_by)
  return broken ? { ...response, broken } : response
}
