import { durationMs } from '@lead-distribution/contract'
import type { Judge } from './rule.ts'

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
    input: agoText(ageMs),
    threshold: window,
    hint: 'Wait for the end of the duplicate window, or advance the clock of the tenant.',
  }
}

const agoText = (ms: number) => `refused ${ms / 1000} s ago`

/** Returns how long ago the address was refused, by the input of this check in a trace, milliseconds; NaN if it was not. */
export const refusedAgoMs = (input: unknown): number => Math.round(Number(`${input}`.split(' ')[1]) * 1000)
