import type { LeadSubmission } from '@lead-distribution/contract'
import { lintConsents } from '../consents/lint-consents.ts'
import { lintTracking } from '../tracking/lint-tracking.ts'
import { type AdviceOptions, fieldsOf, type LeadAdvice } from './lead-advice.ts'

/**
 * What is odd about a lead: `lintConsents` and `lintTracking` in one. Advice, not a check: what the service refuses is
 * found by `validateLead`. Never throws, whatever it is given.
 */
export function lintLead(lead: LeadSubmission, options?: AdviceOptions): readonly LeadAdvice[] {
  const { consents, tracking } = fieldsOf(lead) as unknown as LeadSubmission
  return [...lintConsents(consents, options), ...lintTracking(tracking)]
}
