import type { consentAdvice } from '../consents/consent-advice.ts'
import type { trackingAdvice } from '../tracking/tracking-advice.ts'

/** What an advice is about; closed, so that a `switch` over it can be complete. */
export type LeadAdviceCode = keyof typeof consentAdvice | keyof typeof trackingAdvice

/** Something odd about a lead that an auditor or an analyst would ask about. Repeats no value of the lead. */
export interface LeadAdvice {
  /** Where: a dotted path, as in the issues of `validateLead`, such as `consents.metadata.ip_address`. */
  readonly field: string
  /** What it is about. */
  readonly code: LeadAdviceCode
  /** What to do, for people. */
  readonly advice: string
}

/** What `lintLead` and `lintConsents` take. */
export interface AdviceOptions {
  /** What now is. Default: the system's clock. */
  now?: Date | undefined
}

/** The fields of a value, which may be anything: none where it is no object. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** Whether a value is a text with something in it. */
export function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
