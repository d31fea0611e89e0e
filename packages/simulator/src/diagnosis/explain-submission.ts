import {
  type AccountIds,
  createNearMissFinder,
  type HintedStep,
  withNearMisses,
} from '@lead-distribution/contract/diagnostics'
import { describeShape, leadSubmission } from '@lead-distribution/contract/shapes'
import type { Settings } from '@lead-distribution/engine'

const findNearMisses = createNearMissFinder(interpretation => describeShape(leadSubmission(interpretation)))

/** Adds near misses to the hints of a trace: fields that resemble the intended ones. */
export function explainSubmission<Step extends HintedStep>(
  submission: unknown,
  trace: readonly Step[],
  account: AccountIds & { readonly settings: Settings },
): Step[] {
  return withNearMisses(trace, findNearMisses(submission, account.settings, account))
}

/** Returns the fields of a submission that resemble known fields. */
export function nearMissesOf(submission: unknown, account: AccountIds & { readonly settings: Settings }) {
  return findNearMisses(submission, account.settings, account)
}
