import type { PathParameter, ReplyOf, SentInput } from '@lead-distribution/http'
import { administrationOperations } from './administration.ts'
import { callbackOperations } from './callbacks.ts'
import { clockOperations } from './clock.ts'
import { eventOperations } from './events.ts'
import { faultOperations } from './faults.ts'
import { coverageOperations, requestOperations } from './journal.ts'
import { leadOperations } from './leads.ts'
import { snapshotOperations } from './snapshots.ts'
import { tenantOperations } from './tenants.ts'

/** The largest body that the control plane reads, bytes; the service reads less. */
export const maxControlBodyBytes = 1_048_576

/** Every operation of the control plane. */
export const controlOperations = {
  ...tenantOperations,
  ...administrationOperations,
  ...leadOperations,
  ...callbackOperations,
  ...clockOperations,
  ...faultOperations,
  ...requestOperations,
  ...snapshotOperations,
  ...coverageOperations,
  ...eventOperations,
}

/** The operations of the control plane, by their names. */
export type ControlOperations = typeof controlOperations

/** The name of an operation of the control plane. */
export type ControlOperationName = keyof ControlOperations

/** The parameters in the path of an operation. */
export type ControlParameters<Name extends ControlOperationName> = Readonly<
  Record<PathParameter<ControlOperations[Name]['path']>, string>
>

/** What an operation takes in its body or its query; an operation that takes neither takes no field. */
export type ControlInput<Name extends ControlOperationName> =
  SentInput<ControlOperations[Name]> extends undefined ? Record<never, never> : SentInput<ControlOperations[Name]>

/** The reply of an operation. */
export type ControlReply<Name extends ControlOperationName> = ReplyOf<ControlOperations[Name]>
