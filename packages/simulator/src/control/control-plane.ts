import { createHandler, type Handlers, type RequestHandler } from '@lead-distribution/http'
import { controlPath } from '../paths.ts'
import { refuseUnavailable } from '../storage/storage-unavailable.ts'
import {
  type ControlAccess,
  findPrincipal,
  type Principal,
  refusePrincipal,
  streamVisibleTo,
  visibleTo,
} from './access.ts'
import { noSuchTenant } from './control-error.ts'
import type { ControlContext, ControlOperation, HandleControlCall } from './operation.ts'
import { type ControlOperations, controlOperations, maxControlBodyBytes } from './operations.ts'

export interface ControlPlaneOptions extends ControlContext {
  readonly access: ControlAccess
  readonly onError: (error: unknown) => void
}

/** Creates the control plane as a request handler. No fault ever acts on it. */
export function createControlPlane(options: ControlPlaneOptions): RequestHandler {
  const { access, registry, onError } = options
  return createHandler<ControlOperations, Principal>({
    basePath: controlPath,
    operations: controlOperations,
    answersHead: true,
    handlers: handlersWith(options),
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
    // A body whose fields are all optional may be left out.
    optionalBody: true,
    onError,
    refuseError: refuseUnavailable,
  })
}

function handlersWith(context: ControlContext) {
  const entries = Object.entries<ControlOperation>(controlOperations).map(([name, operation]) => {
    const handle = operation.handle as HandleControlCall
    return [name, (...[principal, call]: Parameters<HandleControlCall>) => handle(principal, call, context)]
  })
  return Object.fromEntries(entries) as Handlers<ControlOperations, Principal>
}
