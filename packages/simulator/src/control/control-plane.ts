import type { CallReply, Handler } from '@lead-distribution/http'
import { createHandler } from '@lead-distribution/http'
import { type ControlAccess, refuseAccess } from './access.ts'
import { callbackCalls } from './callbacks/callback-calls.ts'
import { clockCalls } from './clock/clock-calls.ts'
import type { ControlCall, ControlContext } from './context.ts'
import { coverageCalls } from './coverage/coverage-calls.ts'
import { faultCalls } from './faults/fault-calls.ts'
import { requestCalls } from './journal/request-calls.ts'
import { leadCalls } from './leads/lead-calls.ts'
import { type ControlOperationName, controlOperations, controlPath, maxControlBodyBytes } from './operations.ts'
import { snapshotCalls } from './snapshots/snapshot-calls.ts'
import { tenantCalls } from './tenants/tenant-calls.ts'

/** What the control plane works on. */
export interface ControlPlaneOptions extends ControlContext {
  readonly access: ControlAccess
  /** Told of every reply. */
  readonly onReply: (operation: string | undefined, status: number) => void
  readonly onFault: (fault: unknown) => void
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
  const implementations = Object.fromEntries(
    Object.entries(calls).map(([name, run]) => [name, (_: Allowed, call: Parameters<ControlCall>[0]) => run(call)]),
  ) as Readonly<Record<ControlOperationName, (_: Allowed, call: Parameters<ControlCall>[0]) => Promise<CallReply>>>

  return createHandler<ControlOperationName, Allowed>({
    basePath: controlPath,
    operations: controlOperations,
    maxBodyBytes: maxControlBodyBytes,
    onFault: options.onFault,
    onReply: options.onReply,
    async authenticate({ headers }) {
      const refused = refuseAccess(options.access, headers)
      return refused ? { refused } : { caller: 'allowed' }
    },
    implementations,
  })
}

/** Nobody in particular: whoever may use the control plane. */
type Allowed = 'allowed'
