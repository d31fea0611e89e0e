import type * as z from 'zod/mini'
import { callbackOperations } from './callbacks/callback-operations.ts'
import { clockOperations } from './clock/clock-operations.ts'
import { coverageOperations } from './coverage/coverage-operations.ts'
import { faultOperations } from './faults/fault-operations.ts'
import { requestOperations } from './journal/request-operations.ts'
import { leadOperations } from './leads/lead-operations.ts'
import { snapshotOperations } from './snapshots/snapshot-operations.ts'
import { tenantOperations } from './tenants/tenant-operations.ts'

/** The largest body that the control plane reads, bytes; the service reads less. */
export const maxControlBodyBytes = 1_048_576

/** Every operation of the control plane. */
export const controlOperations = {
  ...tenantOperations,
  ...leadOperations,
  ...callbackOperations,
  ...clockOperations,
  ...faultOperations,
  ...requestOperations,
  ...snapshotOperations,
  ...coverageOperations,
}

/** The name of an operation of the control plane. */
export type ControlOperationName = keyof typeof controlOperations

/** What an operation takes in its body or its query, as it is sent; an operation that takes neither takes no field. */
export type ControlInput<Name extends ControlOperationName> = (typeof controlOperations)[Name] extends {
  readonly input: infer Shape extends z.ZodMiniType
}
  ? z.input<Shape>
  : Record<never, never>

/** What an operation answers when it is done. */
export type ControlReply<Name extends ControlOperationName> = z.output<(typeof controlOperations)[Name]['reply']>
