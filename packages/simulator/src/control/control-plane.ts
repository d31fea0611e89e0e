import { createHandler, type RequestHandler } from '@lead-distribution/http'
import { controlPath } from '../paths.ts'
import { refuseUnavailable } from '../storage/unavailable.ts'
import { type ControlAccess, refuseAccess } from './access.ts'
import { callbackHandlers } from './callbacks-handlers.ts'
import { clockHandlers } from './clock-handlers.ts'
import type { Allowed, ControlContext } from './context.ts'
import { noSuchTenant } from './control-error.ts'
import { eventHandlers } from './events-handlers.ts'
import { faultHandlers } from './faults-handlers.ts'
import { journalHandlers } from './journal-handlers.ts'
import { leadHandlers } from './leads-handlers.ts'
import { type ControlOperations, controlOperations, maxControlBodyBytes } from './operations.ts'
import { snapshotHandlers } from './snapshots-handlers.ts'
import { tenantHandlers } from './tenants-handlers.ts'

/** What the control plane works on. */
export interface ControlPlaneOptions extends ControlContext {
  readonly access: ControlAccess
  readonly onError: (error: unknown) => void
}

/** The control plane as a request handler. No fault ever acts on it. */
export function createControlPlane(options: ControlPlaneOptions): RequestHandler {
  const { access, registry, onError } = options
  return createHandler<ControlOperations, Allowed>({
    basePath: controlPath,
    operations: controlOperations,
    handlers: {
      ...tenantHandlers(options),
      ...leadHandlers(options),
      ...callbackHandlers(options),
      ...clockHandlers(options),
      ...faultHandlers(options),
      ...snapshotHandlers(options),
      ...journalHandlers(options),
      ...eventHandlers(options),
    },
    async authenticate({ method, headers, params }) {
      const { tenant } = params
      const isUnknown = tenant !== undefined && !registry.find(tenant)
      const refused = refuseAccess(access, { method, headers }) ?? (isUnknown ? noSuchTenant : undefined)
      return refused ? { refused } : { principal: 'allowed' }
    },
    maxBodyBytes: maxControlBodyBytes,
    strictQuery: true,
    // What is optional may be left out as a whole.
    optionalBody: true,
    onError,
    refuseError: refuseUnavailable,
  })
}
