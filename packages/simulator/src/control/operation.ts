import type { ErrorCode, ServerErrorCode, Settings } from '@lead-distribution/contract'
import type { Operation } from '@lead-distribution/contract/shapes'
import type { Call, CallOf, HandledOperation, HandlerResult, PathParameter } from '@lead-distribution/http'
import type { CallService } from '../advertisers/advertisers.ts'
import type { Place } from '../egress/callback-target.ts'
import type { Entropy } from '../random/seeded-random.ts'
import type { SandboxStorage } from '../storage/sandbox-storage.ts'
import type { EventStreams } from '../stream/event-streams.ts'
import type { BrokenTenant } from '../tenants/broken-tenants.ts'
import type { DemoOptions } from '../tenants/demo-tenant.ts'
import type { TenantRegistry } from '../tenants/registry.ts'
import type { Tenant } from '../tenants/runtime.ts'
import type { Urls } from '../urls.ts'
import type { ControlAccess, LeastToken, Principal } from './access.ts'
import type { controlErrorStatus } from './control-error.ts'

type ControlErrorCode = ErrorCode | ServerErrorCode | keyof typeof controlErrorStatus

/** A control plane operation as declared. {@link operation} derives the rest. */
interface Declaration extends Omit<Operation<ControlErrorCode>, 'in' | 'errors'> {
  /** The minimum token that the operation requires. Default: `read` for a GET, `write` for any other method. */
  readonly needs?: LeastToken
  /** The source of the input. Default: the query of a GET, the body of any other method. */
  readonly in?: 'query'
  /** Additional errors, besides those that the path and the input imply. */
  readonly errors?: readonly ControlErrorCode[]
}

/** A control plane operation with its handler. The handler's types are erased: clients use the types of the table. */
export interface ControlOperation extends Operation<ControlErrorCode>, Pick<Declaration, 'needs'> {
  readonly handle: HandledOperation['handle']
  /** Handles a request for a tenant that could not be opened. Default: refuses it. */
  readonly handleBroken?: ((broken: BrokenTenant, context: ControlContext) => Promise<object>) | undefined
}

/** The dependencies of the control plane's handlers. */
export interface ControlContext {
  readonly registry: TenantRegistry
  readonly access: ControlAccess
  readonly storage: SandboxStorage
  readonly urls: Urls
  readonly entropy: Entropy
  /** Real time, in milliseconds since 1970. */
  readonly now: () => number
  /** The default profile of a new tenant. */
  readonly profile?: Settings['profile'] | undefined
  readonly allowedCallbackHosts: readonly string[]
  readonly place: Place
  /** Sends the reports of simulated advertisers to the service. */
  readonly call: CallService
  readonly events: EventStreams
  readonly demo: DemoOptions
}

/** A control plane call. Layers add the caller, and the tenant if the path names one. */
export interface ControlCall extends Call {
  readonly declared: ControlOperation
  principal: Principal
  tenant: Tenant
}

/** A call as a handler receives it: with the tenant if the path names one. */
type OwnCall<Declared extends Declaration> = CallOf<Declared & Pick<ControlOperation, 'in'>> & {
  readonly principal: Principal
} & ('tenant' extends PathParameter<Declared['path']> ? { readonly tenant: Tenant } : unknown)

/** Declares an operation with its handler. A broken tenant is refused unless `handleBroken` says otherwise. */
export function operation<const Declared extends Declaration>(
  declared: Declared,
  handle: (call: OwnCall<Declared>, context: ControlContext) => Promise<HandlerResult<Declared>>,
  handleBroken?: (broken: BrokenTenant, context: ControlContext) => Promise<HandlerResult<Declared>>,
): Declared & Pick<ControlOperation, 'in' | 'errors' | 'handleBroken'> & { readonly handle: typeof handle } {
  const { input, methods, errors = [] } = declared
  return {
    ...declared,
    in: input === undefined ? 'none' : (declared.in ?? (methods[0] === 'GET' ? 'query' : 'body')),
    errors,
    handle,
    handleBroken,
  }
}
