import { type Call, createHandler, type Handler, type HttpRequest, type JsonResponse } from '@lead-distribution/http'
import * as z from 'zod/mini'
import { controlPath } from '../paths.ts'
import { type ControlAccess, refuseAccess } from './access.ts'
import { callbackCalls } from './callbacks/callback-calls.ts'
import { clockCalls } from './clock/clock-calls.ts'
import type { ControlCall, ControlContext } from './context.ts'
import { readQuery } from './control-error.ts'
import { coverageCalls } from './coverage/coverage-calls.ts'
import { faultCalls } from './faults/fault-calls.ts'
import { requestCalls } from './journal/request-calls.ts'
import { leadCalls } from './leads/lead-calls.ts'
import { type ControlOperationName, controlOperations, maxControlBodyBytes } from './operations.ts'
import type { ControlOperation } from './row.ts'
import { snapshotCalls } from './snapshots/snapshot-calls.ts'
import { tenantCalls } from './tenants/tenant-calls.ts'

/** What the control plane works on. */
export interface ControlPlaneOptions extends ControlContext {
  readonly access: ControlAccess
  /** Told of every reply. */
  readonly onReply: (operation: string | undefined, status: number) => void
  readonly onError: (fault: unknown) => void
}

/** The control plane as a handler: all that a test needs under its hand. No fault ever acts on it. */
export function createControlPlane(options: ControlPlaneOptions): Handler {
  const calls: Readonly<Record<ControlOperationName, ControlCall>> = {
    ...tenantCalls(options),
    ...leadCalls(options),
    ...callbackCalls(options),
    ...clockCalls(options),
    ...faultCalls(options),
    ...requestCalls(options),
    ...snapshotCalls(options),
    ...coverageCalls(options),
  }
  const operations: Readonly<Record<ControlOperationName, ControlOperation>> = controlOperations
  const implementations = Object.fromEntries(
    Object.entries(calls).map(([name, run]) => {
      const takesQuery = operations[name as ControlOperationName].in === 'query'
      return [name, async (_: Allowed, call: Call) => (takesQuery ? undefined : refuseQuery(call)) ?? run(call)]
    }),
  ) as Readonly<Record<ControlOperationName, (_: Allowed, call: Call) => Promise<JsonResponse>>>

  const handle = createHandler<ControlOperationName, Allowed>({
    basePath: controlPath,
    operations,
    maxBodyBytes: maxControlBodyBytes,
    onError: options.onError,
    onReply: options.onReply,
    async authenticate({ headers }) {
      const refused = refuseAccess(options.access, headers)
      return refused ? { refused } : { caller: 'allowed' }
    },
    implementations,
  })
  return request => handle(withBody(request))
}

/** A request without a body as one with an empty object: what is optional may be left out as a whole. */
function withBody(request: HttpRequest): HttpRequest {
  if (request.body.byteLength > 0 || request.headers['content-type'] !== undefined) return request
  return { ...request, headers: { ...request.headers, 'content-type': 'application/json' }, body: emptyObject }
}

const emptyObject = new TextEncoder().encode('{}')

/** Refuses the query of an operation that takes none: `DELETE …/faults?fault_id=f1` must not clear all of them. */
function refuseQuery({ query }: Pick<Call, 'query'>): JsonResponse | undefined {
  return query.size === 0 ? undefined : readQuery(noQuery, query).refused
}

const noQuery = z.strictObject({})

/** Nobody in particular: whoever may use the control plane. */
type Allowed = 'allowed'
