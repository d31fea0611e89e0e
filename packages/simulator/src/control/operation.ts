import type { ErrorCode, ServerErrorCode } from '@lead-distribution/contract'
import type { Operation } from '@lead-distribution/contract/shapes'
import type { Settings } from '@lead-distribution/engine'
import type { Call, HandlerResult, PathParameter, ReceivedInput, Refusal } from '@lead-distribution/http'
import * as z from 'zod/mini'
import type { CallService } from '../advertisers/advertiser-network.ts'
import type { Place } from '../egress/callback-target.ts'
import { controlBounds, type Urls } from '../paths.ts'
import type { Entropy } from '../random/seeded-random.ts'
import type { SandboxStorage } from '../storage/sandbox-storage.ts'
import type { EventHub } from '../stream/event-hub.ts'
import type { BrokenTenant } from '../tenants/broken-tenants.ts'
import type { DemoOptions } from '../tenants/demo-tenant.ts'
import type { TenantRegistry } from '../tenants/registry.ts'
import type { Tenant } from '../tenants/runtime.ts'
import type { Principal } from './access.ts'
import { type controlErrorStatus, noSuchTenant, refuseBroken } from './control-error.ts'

type ControlErrorCode = ErrorCode | ServerErrorCode | keyof typeof controlErrorStatus

/** An operation of the control plane as its file declares it. {@link operation} adds what follows from that. */
interface Declaration extends Omit<Operation<ControlErrorCode>, 'spec' | 'key' | 'in' | 'errors'> {
  /** `admin`: requires the admin token; `write`: requires more than a read-only token although it changes nothing. */
  readonly needs?: 'admin' | 'write'
  /** The place of its input. Default: the query of a GET, the body of any other method. */
  readonly in?: 'query'
  /** The errors besides those that its path and its input entail. */
  readonly errors?: readonly ControlErrorCode[]
}

/** An operation of the control plane with its handler, whose types are left out: clients read the types of the table. */
export interface ControlOperation extends Operation<ControlErrorCode>, Pick<Declaration, 'needs'> {
  readonly handle: (...args: never[]) => Promise<object>
}

/** Everything that the handlers of the control plane work with. */
export interface ControlContext {
  readonly registry: TenantRegistry
  readonly storage: SandboxStorage
  readonly urls: Urls
  readonly entropy: Entropy
  /** Real time, milliseconds since 1970. */
  readonly now: () => number
  /** The default profile of a new tenant. */
  readonly profile?: Settings['profile'] | undefined
  readonly allowedCallbackHosts: readonly string[]
  readonly place: Place
  /** Sends the reports of simulated advertisers to the service. */
  readonly call: CallService
  readonly events: EventHub
  readonly demo: DemoOptions
}

/** A call as its handler gets it: with the tenant if the path names one. */
type ControlCall<Declared extends Declaration> = Call<
  string,
  ReceivedInput<Declared>,
  PathParameter<Declared['path']>
> & { readonly principal: Principal } & ('tenant' extends PathParameter<Declared['path']>
    ? { readonly tenant: Tenant }
    : unknown)

export type HandleControlCall = (principal: Principal, call: Call, context: ControlContext) => Promise<Refusal>

/** Declares an operation with its handler. A broken tenant is refused unless `handleBroken` says otherwise. */
export function operation<const Declared extends Declaration>(
  declared: Declared,
  handle: (call: ControlCall<Declared>, context: ControlContext) => Promise<HandlerResult<Declared>>,
  handleBroken: (broken: BrokenTenant, context: ControlContext) => Promise<HandlerResult<Declared>> = async broken =>
    refuseBroken(broken),
): Declared & Pick<ControlOperation, 'spec' | 'key' | 'in' | 'errors' | 'handle'> {
  const { input, methods, errors = [] } = declared
  return {
    ...declared,
    spec: 'sandbox',
    key: 'none',
    in: input === undefined ? 'none' : (declared.in ?? (methods[0] === 'GET' ? 'query' : 'body')),
    errors,
    async handle(principal: Principal, call: Call, context: ControlContext) {
      const { registry } = context
      const { tenant: name } = call.params
      // The router read the parameters from the path, and the shape of the operation validated the input.
      const run = (tenant?: Tenant) => handle({ ...call, principal, tenant } as never, context)
      if (name === undefined) return run()
      const tenant = registry.find(name)
      if (!tenant) {
        const broken = registry.broken.find(name)
        return broken ? handleBroken(broken, context) : noSuchTenant
      }
      try {
        return await run(tenant)
      } catch (error) {
        if (registry.isGone(tenant, error)) return noSuchTenant
        throw error
      }
    },
  }
}

/** The shape of a whole number within the bounds of its name. */
export function wholeNumber(name: keyof typeof controlBounds) {
  const { min, max } = controlBounds[name]
  return z.int().check(z.gte(min), z.lte(max))
}
