import { createHandler, type HttpRequest, type RequestHandler } from '@lead-distribution/http'
import { controlPath } from '../paths.ts'
import { type ControlAccess, refuseAccess } from './access.ts'
import { callbackHandlers } from './callbacks-handlers.ts'
import { clockHandlers } from './clock-handlers.ts'
import type { Allowed, ControlContext } from './context.ts'
import { noSuchTenant } from './control-error.ts'
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
  const handle = createHandler<ControlOperations, Allowed>({
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
    },
    async authenticate({ headers, params: { tenant } }) {
      const isUnknown = tenant !== undefined && !registry.find(tenant)
      const refused = refuseAccess(access, headers) ?? (isUnknown ? noSuchTenant : undefined)
      return refused ? { refused } : { principal: 'allowed' }
    },
    maxBodyBytes: maxControlBodyBytes,
    strictQuery: true,
    onError,
  })
  return request => handle(withBody(request))
}

/** A request without a body as one with an empty object: what is optional may be left out as a whole. */
function withBody(request: HttpRequest): HttpRequest {
  if (request.body.byteLength > 0 || request.headers['content-type'] !== undefined) return request
  return { ...request, headers: { ...request.headers, 'content-type': 'application/json' }, body: emptyObject }
}

const emptyObject = new TextEncoder().encode('{}')
