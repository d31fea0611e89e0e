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
