import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'

/** What an advice is about; closed, so that a `switch` over it can be complete. */
export type LeadAdviceCode = keyof typeof consentAdvice | keyof typeof trackingAdvice | 'near_miss'

/** Something odd about a lead: probably misspelt, or what an auditor would question. Repeats no value of the lead. */
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

/** @throws ConfigError an option is unknown. */
export function checkAdviceOptions(what: string, options: AdviceOptions | undefined): void {
  checkOptions(what, options, { now: 1 } satisfies Known<AdviceOptions>)
}

/** The fields of a value, which may be anything: none where it is no object. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** Whether a value is a text with something in it. */
export function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** The advice about consents, by its code. */ // Spec 2.9, 8
export const consentAdvice = {
  consent_missing: 'Ask for `terms` and `privacy_policy`: without them no lead is processed.',
  consent_not_accepted: 'Submit no lead before this is accepted.',
  consent_repeated: 'Keep one entry of each type.',
  accepted_at_missing: 'Say when it was accepted.',
  accepted_at_unexpected: 'It was not accepted: give null.',
  accepted_after_collected: 'It is after `collected_at`: take both from one clock.',
  accepted_long_before_collected: 'It is over a day before `collected_at`: ask the customer again.',
  time_in_future: 'It is in the future: set the clock.',
  version_missing: 'Name the version that was shown.',
  document_url_missing: 'Give the URL of the very document that was shown.',
  document_url_not_https: 'Give an absolute https URL.',
  document_url_shared: 'Give each version its own URL.',
  metadata_missing: 'Record address, user agent and time: consent must be proved.',
  ip_address_not_public: 'Give the address of the customer, not of a proxy.',
  user_agent_missing: 'Record it: consent must be proved.',
} as const

/** The advice about tracking data, by its code. */ // Spec 2.10
export const trackingAdvice = {
  tracking_empty: 'Leave it out: it is empty.',
  tracking_personal_data: 'Give an id instead of an e-mail address.',
  source_not_absolute: 'Give the absolute http or https URL of the page.',
  source_with_query: 'Leave out query and fragment: they may hold personal data.',
} as const
