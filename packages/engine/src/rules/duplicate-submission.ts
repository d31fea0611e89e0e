import { durationMs } from '@lead-distribution/contract'
import type { Judge } from './rule.ts'

/** The input of this rule: how long ago the address was refused, milliseconds. */
export interface RefusedAgo {
  readonly refused_ms_ago: number
}

/**
 * @spec 2.12/duplicate_submission
 * A rule refused the same e-mail and product less than `duplicate_window` ago. At exactly its length it is over.
 */
export const duplicateSubmission: Judge = ({ customer, account, now }) => {
  if (customer?.refused_at === undefined) return { passes: true }
  const window = account.settings.duplicate_window
  const ageMs = now - customer.refused_at
  return {
    passes: ageMs >= durationMs(window),
    input: { refused_ms_ago: ageMs } satisfies RefusedAgo,
    threshold: window,
    hint: 'Wait for the end of the duplicate window, or advance the clock of the tenant.',
  }
}
