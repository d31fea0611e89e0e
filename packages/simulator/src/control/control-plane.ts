import {
  answerHead,
  createService,
  type Layer,
  type RequestHandler,
  readInput,
  refuseCall,
} from '@lead-distribution/http'
import { refuseUnavailable } from '../storage/storage-unavailable.ts'
import type { TenantRegistry } from '../tenants/registry.ts'
import { controlPath } from '../urls.ts'
import { type ControlAccess, findPrincipal, refusePrincipal, streamVisibleTo, visibleTo } from './access.ts'
import { noSuchTenant, refuseBroken } from './control-error.ts'
import type { ControlCall, ControlContext } from './operation.ts'
import { controlOperations, maxControlBodyBytes } from './operations.ts'

export interface ControlPlaneOptions extends ControlContext {
  readonly onError: (error: unknown) => void
}

/** Creates the control plane's request handler. Faults never affect it. */
export function createControlPlane(context: ControlPlaneOptions): RequestHandler {
  const { access, registry, onError } = context
  return createService<string, ControlCall>({
    basePath: controlPath,
    operations: controlOperations,
    context,
    answersHead: true,
    layers: [
      refuseUnavailable(onError),
      identifyPrincipal(access, registry),
      hideSecrets,
      // A body with only optional fields may be omitted.
      readInput({ maxBodyBytes: maxControlBodyBytes, strictQuery: true, optionalBody: true }),
      refuseCall,
      answerHead,
      findTenant(context),
    ],
    onError,
  })
}

/** Identifies the caller. Refuses a request that the caller may not make, or for an unknown tenant. */
function identifyPrincipal(access: ControlAccess, registry: TenantRegistry): Layer<ControlCall> {
  return async (call, next) => {
    const { principal, refused } = await findPrincipal(access, call.headers, registry)
    if (refused) return refused
    const forbidden = refusePrincipal(principal, call.declared, call)
    if (forbidden) return forbidden
    const { tenant } = call.params
    if (tenant !== undefined && !registry.find(tenant) && !registry.broken.find(tenant)) return noSuchTenant
    call.principal = principal
    return next()
  }
}

/** Hides the fields that the caller may not see. */
const hideSecrets: Layer<ControlCall> = async ({ principal }, next) => {
  const { stream, ...response } = await next()
  const body = visibleTo(principal, response.body)
  return stream ? { ...response, body, stream: streamVisibleTo(principal, stream) } : { ...response, body }
}

/** Finds the tenant in the path. Refuses a broken one, unless the operation handles it. */
function findTenant(context: ControlContext): Layer<ControlCall> {
  const { registry } = context
  return async (call, next) => {
    const { declared, params } = call
    if (params.tenant === undefined) return next()
    const tenant = registry.find(params.tenant)
    if (!tenant) {
      const broken = registry.broken.find(params.tenant)
      if (!broken) return noSuchTenant
      return declared.handleBroken
        ? { status: 200, body: {}, ...(await declared.handleBroken(broken, context)) }
        : refuseBroken(broken)
    }
    call.tenant = tenant
    try {
      return await next()
    } catch (error) {
      if (registry.isGone(tenant, error)) return noSuchTenant
      throw error
    }
  }
}
