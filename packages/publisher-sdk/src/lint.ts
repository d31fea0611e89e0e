/**
 * Advice about leads that the service accepts and an auditor would question.
 * @module @lead-distribution/publisher-sdk/lint
 */

// Advice about leads; a separate entry, so that only programs that use it carry it.
export {
  type AdviceOptions,
  consentAdvice,
  type LeadAdvice,
  type LeadAdviceCode,
  trackingAdvice,
} from './lint/lead-advice.ts'
export { lintConsents } from './lint/lint-consents.ts'
export { lintLead, lintTracking } from './lint/lint-lead.ts'
