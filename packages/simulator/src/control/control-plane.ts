import { createHandler, type RequestHandler } from '@lead-distribution/http'
import { controlPath } from '../paths.ts'
import { refuseUnavailable } from '../storage/unavailable.ts'
import {
  type ControlAccess,
  findPrincipal,
  type Principal,
  refusePrincipal,
  streamVisibleTo,
  visibleTo,
} from './access.ts'
import { administrationHandlers } from './administration-handlers.ts'
import { brokenTenantHandlers } from './broken-tenants-handlers.ts'
import { callbackHandlers } from './callbacks-handlers.ts'
import { clockHandlers } from './clock-handlers.ts'
import type { ControlContext } from './context.ts'
import { noSuchTenant } from './control-error.ts'
import { eventHandlers } from './events-handlers.ts'
import { faultHandlers } from './faults-handlers.ts'
import { journalHandlers } from './journal-handlers.ts'
import { leadHandlers } from './leads-handlers.ts'
import type { ControlOperation } from './operation-defaults.ts'
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
  return createHandler<ControlOperations, Principal>({
    basePath: controlPath,
    operations: controlOperations,
    answersHead: true,
    handlers: {
      ...tenantHandlers(options),
      ...brokenTenantHandlers(options),
      ...administrationHandlers(options),
      ...leadHandlers(options),
      ...callbackHandlers(options),
      ...clockHandlers(options),
      ...faultHandlers(options),
      ...snapshotHandlers(options),
      ...journalHandlers(options),
      ...eventHandlers(options),
    },
    async authenticate(call) {
      const { principal, refused } = await findPrincipal(access, call.headers, registry)
      if (refused) return { refused }
      const { tenant } = call.params
      const operation: ControlOperation = controlOperations[call.operation]
      const isUnknown = tenant !== undefined && !registry.find(tenant) && !registry.broken.find(tenant)
      const forbidden = refusePrincipal(principal, operation, call) ?? (isUnknown ? noSuchTenant : undefined)
      return forbidden ? { refused: forbidden } : { principal }
    },
    async around(principal, _call, run) {
      const { stream, ...response } = await run()
      const body = visibleTo(principal, response.body)
      return stream ? { ...response, body, stream: streamVisibleTo(principal, stream) } : { ...response, body }
    },
    maxBodyBytes: maxControlBodyBytes,
    strictQuery: true,
    // What is optional may be left out as a whole.
    optionalBody: true,
    onError,
    refuseError: refuseUnavailable,
  })
}
