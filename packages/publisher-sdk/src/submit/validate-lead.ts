import {
  type FieldIssue,
  formalInterpretation,
  type Interpretation,
  type LeadSubmission,
  proseInterpretation,
} from '@lead-distribution/contract'
import { checkLead } from '@lead-distribution/contract/lead-check'
import { ConfigError } from '@lead-distribution/sdk-core/errors'
import type { StandardSchema } from './standard-schema.ts'

/** What a check of a lead came to. */
export type LeadCheck =
  | { valid: true; lead: LeadSubmission; issues?: never }
  | {
      valid: false
      lead?: never
      /** Every issue at once, the same that the service would put into `details` (Spec 2.13). */
      issues: readonly FieldIssue[]
    }

/** Checks leads: a function, and a Standard Schema for form libraries. */
export interface LeadValidator extends StandardSchema<LeadSubmission> {
  (input: unknown): LeadCheck
}

/**
 * How the specification is read where it contradicts itself: `prose` (gender and consent metadata are optional,
 * Spec 4.1), `formal` (both are required, Spec 2.3, 2.9), or each for itself.
 */
export type LeadReading = 'prose' | 'formal' | Interpretation

/** A validator under a reading. It never makes code from text (CSP). @throws ConfigError there is no such reading. */
export function createLeadValidator(reading: LeadReading = 'prose'): LeadValidator {
  const read = reading === 'prose' ? proseInterpretation : reading === 'formal' ? formalInterpretation : reading
  if (!read?.gender || !read.consent_metadata) {
    throw new ConfigError('The reading must be "prose", "formal", or say both `gender` and `consent_metadata`.')
  }
  function check(input: unknown): LeadCheck {
    const issues = checkLead(input, read)
    // The input itself: defaults are the service's to fill in, and nothing is coerced.
    return issues.length === 0 ? { valid: true, lead: input as LeadSubmission } : { valid: false, issues }
  }
  const validate = (value: unknown) => {
    const { lead, issues } = check(value)
    return lead ? { value: lead } : { issues: (issues as readonly FieldIssue[]).map(standardIssue) }
  }
  return Object.assign(check, { '~standard': { version: 1, vendor: 'lead-distribution', validate } as const })
}

/** Checks a lead as the service does, without a client and without sending it (Spec 2.1; the prose's reading). */
export const validateLead: LeadValidator = /* @__PURE__ */ createLeadValidator()

function standardIssue({ field, issue }: FieldIssue) {
  const path = field === 'body' ? [] : field.split('.').map(key => (/^\d+$/.test(key) ? Number(key) : key))
  return { message: issue, path }
}
