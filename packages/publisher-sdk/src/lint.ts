// Advice about leads; apart, so that only whoever asks for it pays for it.
export type { AdviceOptions, LeadAdvice, LeadAdviceCode } from './advice/lead-advice.ts'
export { lintLead } from './advice/lint-lead.ts'
export { consentAdvice } from './consents/consent-advice.ts'
export { lintConsents } from './consents/lint-consents.ts'
export { lintTracking } from './tracking/lint-tracking.ts'
export { trackingAdvice } from './tracking/tracking-advice.ts'
