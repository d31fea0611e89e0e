import {
  checkLead,
  type FieldIssue,
  formalInterpretation,
  type Interpretation,
  type LeadSubmission,
  proseInterpretation,
} from '@lead-distribution/contract'
import { assertConfig, ValidationError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'

/** The result of checking a lead. */
export type LeadCheck =
  | { valid: true; lead: LeadSubmission; issues?: never }
  | {
      valid: false
      lead?: never
      /** All issues at once, the same that the service would send in `details`. */ // Spec 2.13
      issues: readonly FieldIssue[]
    }

/** Checks leads: a function, and a Standard Schema (version 1, https://standardschema.dev) for form libraries. */
export interface LeadValidator {
  (input: unknown): LeadCheck
  /** The interface of Standard Schema. */
  readonly '~standard': {
    /** The version of the interface. */
    readonly version: 1
    /** The maker of the validator. */
    readonly vendor: string
    /** Checks a value. Returns the value itself, or its issues. */
    readonly validate: (
      value: unknown,
    ) =>
      | { readonly value: LeadSubmission; readonly issues?: undefined }
      | { readonly issues: readonly { readonly message: string; readonly path: readonly (string | number)[] }[] }
    /** The types of the input and the output; undefined at run time. */
    readonly types?: { readonly input: LeadSubmission; readonly output: LeadSubmission } | undefined
  }
}

/**
 * The interpretation of the specification where it contradicts itself: `prose` (gender and consent metadata are
 * optional), `formal` (both are required), or one choice for each. @inline
 */ // Spec 4.1, 2.3, 2.9
export type LeadInterpretation =
  | 'prose'
  | 'formal'
  | { gender: Interpretation['gender']; consent_metadata: Interpretation['consent_metadata'] }

/** The names of an interpretation. */
export const knownInInterpretation = { gender: 1, consent_metadata: 1 } satisfies Known<Interpretation>

/**
 * Creates a validator for an interpretation of the specification. It works under a CSP without `unsafe-eval`.
 * @throws ConfigError the interpretation is unknown.
 * @example
 * ```ts
 * import { createLeadValidator } from '@lead-distribution/publisher-sdk'
 *
 * const validate = createLeadValidator('formal')
 * const checked = validate(input)
 * if (!checked.valid) report(checked.issues) // [{ field: 'product_data.loan_amount', issue: 'must be at least 500' }]
 * ```
 */
export function createLeadValidator(interpretation?: LeadInterpretation): LeadValidator {
  const chosen = resolveInterpretation(interpretation)
  function check(input: unknown): LeadCheck {
    const text = jsonOf(input)
    const issues = text === undefined ? [notJson] : checkLead(JSON.parse(text), chosen)
    // The input itself: the service fills in defaults, and nothing is coerced.
    return issues.length === 0 ? { valid: true, lead: input as LeadSubmission } : { valid: false, issues }
  }
  const validate = (value: unknown) => {
    const { lead, issues } = check(value)
    return lead ? { value: lead } : { issues: (issues as readonly FieldIssue[]).map(standardIssue) }
  }
  return Object.assign(check, { '~standard': { version: 1, vendor: 'lead-distribution', validate } as const })
}

/** Resolves a named interpretation, and copies a mixed one. @throws ConfigError it is neither. */
export function resolveInterpretation(interpretation: LeadInterpretation = 'prose'): Interpretation {
  const chosen =
    interpretation === 'prose'
      ? proseInterpretation
      : interpretation === 'formal'
        ? formalInterpretation
        : interpretation
  assertConfig(
    chosen?.gender && chosen.consent_metadata,
    'The interpretation must be "prose", "formal", or an object with `gender` and `consent_metadata`.',
  )
  checkOptions('`createLeadValidator`', chosen, knownInInterpretation)
  const { gender, consent_metadata } = chosen
  return { gender, consent_metadata }
}

/** Checks a lead as the service does, by the interpretation `prose`. Needs no client and sends nothing. */ // Spec 2.1
export const validateLead: LeadValidator = /* @__PURE__ */ createLeadValidator()

function standardIssue({ field, issue }: FieldIssue) {
  const path = field === 'body' ? [] : field.split('.').map(key => (/^\d+$/.test(key) ? Number(key) : key))
  return { message: issue, path }
}

/** The issue of what JSON cannot carry. */
export const notJson: FieldIssue = { field: 'body', issue: 'must be JSON-serializable' }

/**
 * Returns the JSON text that is sent for a value: a getter, a `toJSON` or an inherited field may make it differ from what
 * the object shows. Undefined if there is none.
 */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // A bigint, a cycle, or a getter that throws; the runtime's own error may repeat values of the lead.
    return undefined
  }
}

/** Checks one part of a lead as the service does. @param more Other issues of the part. @throws ValidationError it has issues. */
export function checkPart(
  part: Pick<LeadSubmission, 'consents'> | Pick<LeadSubmission, 'tracking'>,
  more: readonly FieldIssue[] = [],
): void {
  const [name] = Object.keys(part)
  const issues = (validateLead(part).issues ?? []).filter(({ field }) => [name, 'body'].includes(field.split('.')[0]))
  if (issues.length + more.length > 0) throw new ValidationError([...issues, ...more])
}
