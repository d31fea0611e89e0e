import { basePath, maxBodyBytes } from '@lead-distribution/contract'
import type { OperationName } from '@lead-distribution/contract/shapes'
import { createService, type Layer, type RequestHandler, readInput, refuseCall } from '@lead-distribution/http'
import { refuseUnavailable } from '../storage/storage-unavailable.ts'
import { applyFault, applyScenario, matchFault } from './apply-effects.ts'
import { identifyTenant } from './identify-tenant.ts'
import { serviceOperations } from './operations.ts'
import { confirmVersion, reserveId, retryOnConflict } from './retry-on-conflict.ts'
import type { LeadServiceOptions, ServiceCall } from './service-call.ts'
import { journalFailures, writeJournal } from './write-journal.ts'

/** Creates the specification's service for all tenants. The key selects the tenant; for the pixel, the lead's id does. */
export function createLeadService(options: LeadServiceOptions): RequestHandler {
  const { registry, onError } = options
  const { refresh } = registry
  return createService<OperationName, ServiceCall>({
    basePath,
    operations: serviceOperations,
    context: { onError },
    layers: [
      refuseUnavailable(onError),
      identifyTenant(registry),
      readInput({ maxBodyBytes }),
      journalFailures(options),
      ...(refresh ? [retryOnConflict(registry, refresh)] : []),
      matchFault(options),
      holdTenant,
      writeJournal(options),
      ...(refresh ? [confirmVersion(refresh)] : []),
      applyFault,
      applyScenario,
      refuseCall,
      ...(refresh ? [reserveId] : []),
    ],
    onError,
  })
}

/** Makes restores, resets and saves wait until the call is done. */
const holdTenant: Layer<ServiceCall> = ({ tenant }, next) => tenant.lock.shared(next)
