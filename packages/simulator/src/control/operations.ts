import type { PathParameter, ReplyOf, SentInput } from '@lead-distribution/http'
import { activityOperations } from './activity.ts'
import { administrationOperations } from './administration.ts'
import { callbackOperations } from './callbacks.ts'
import { clockOperations } from './clock.ts'
import { eventOperations } from './events.ts'
import { faultOperations } from './faults.ts'
import { leadOperations } from './leads.ts'
import { listenerOperations } from './listener.ts'
import { previewOperations } from './preview.ts'
import { reproOperations } from './repros.ts'
import { journalOperations } from './requests.ts'
import { sessionOperations } from './session.ts'
import { snapshotOperations } from './snapshots.ts'
import { submissionOperations } from './submissions.ts'
import { tenantOperations } from './tenants.ts'

/** The largest body that the control plane reads, bytes. The service reads less. */
export const maxControlBodyBytes = 1_048_576

export const controlOperations = {
  ...tenantOperations,
  ...administrationOperations,
  ...sessionOperations,
  ...previewOperations,
  // Before the leads: `/leads/repro` is no lead_id.
  ...reproOperations,
  ...leadOperations,
  ...submissionOperations,
  ...callbackOperations,
  ...listenerOperations,
  ...clockOperations,
  ...faultOperations,
  ...journalOperations,
  ...activityOperations,
  ...snapshotOperations,
  ...eventOperations,
}

export type ControlOperations = typeof controlOperations

export type ControlOperationName = keyof ControlOperations

export type ControlParameters<Name extends ControlOperationName> = Readonly<
  Record<PathParameter<ControlOperations[Name]['path']>, string>
>

/** The body or the query of an operation. If it takes neither, an object without fields. */
export type ControlInput<Name extends ControlOperationName> =
  SentInput<ControlOperations[Name]> extends undefined ? Record<never, never> : SentInput<ControlOperations[Name]>

export type ControlReply<Name extends ControlOperationName> = ReplyOf<ControlOperations[Name]>
