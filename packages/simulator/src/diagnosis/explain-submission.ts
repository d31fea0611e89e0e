import { describeShape, leadSubmission } from '@lead-distribution/contract/shapes'
import { type AccountIds, createNearMissFinder, type HintedStep, withNearMisses } from '@lead-distribution/diagnostics'
import type { Settings } from '@lead-distribution/engine'

const findNearMisses = createNearMissFinder(interpretation => describeShape(leadSubmission(interpretation)))

/** The trace of a submission, with what resembles what was probably meant in the hint of its check. */
export function explainSubmission<Step extends HintedStep>(
  submission: unknown,
  trace: readonly Step[],
  account: AccountIds & { readonly settings: Settings },
): Step[] {
  return withNearMisses(trace, findNearMisses(submission, account.settings, account))
}

/** What of a submission resembles what was probably meant. */
export function nearMissesOf(submission: unknown, account: AccountIds & { readonly settings: Settings }) {
  return findNearMisses(submission, account.settings, account)
}
