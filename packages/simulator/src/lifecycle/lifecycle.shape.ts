import { knownStatuses } from '@lead-distribution/contract'
import { duration } from '@lead-distribution/engine'
import * as z from 'zod/mini'

/** What the simulated advertiser reports by itself, and how long after the lead came in. */
export const lifecycle = z
  .array(z.strictObject({ event: z.enum(knownStatuses as [string, ...string[]]), after: duration }))
  .check(z.maxLength(50, 'must hold at most 50 events'))

/** What the simulated advertiser reports by itself. */
export type Lifecycle = z.output<typeof lifecycle>
