import { durationMs } from '@lead-distribution/contract'
import type { Judge } from './rule.ts'

/** The input of this rule: the time since the address was rejected, in milliseconds. */
export interface RefusedAgo {
  readonly refused_ms_ago: number
}

/**
 * @spec 2.12/duplicate_submission
 * A rule rejected the same e-mail address and product less than `duplicate_window` ago. The window excludes its end.
 */
export const duplicateSubmission: Judge = ({ customer, account, now }) => {
  if (customer?.refused_at === undefined) return { passes: true }
  const window = account.settings.duplicate_window
  const ageMs = now - customer.refused_at
  return {
    passes: ageMs >= durationMs(window),
    input: { refused_ms_ago: ageMs } satisfies RefusedAgo,
    threshold: window,
    hint: "Wait until the duplicate window ends, or advance the tenant's clock.",
  }
}
