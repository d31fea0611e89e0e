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

/** The maximum size of a request body, in bytes. The service's limit is lower. */
export const maxControlBodyBytes = 1_048_576

export const controlOperations = {
  ...tenantOperations,
  ...administrationOperations,
  ...sessionOperations,
  ...previewOperations,
  // Before the leads: `repro` in `/leads/repro` is not a lead_id.
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

/** An operation's body or query; an empty object if it has neither. */
export type ControlInput<Name extends ControlOperationName> =
  SentInput<ControlOperations[Name]> extends undefined ? Record<never, never> : SentInput<ControlOperations[Name]>

export type ControlReply<Name extends ControlOperationName> = ReplyOf<ControlOperations[Name]>
