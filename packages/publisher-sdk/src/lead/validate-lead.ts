import {
  type FieldIssue,
  formalInterpretation,
  type Interpretation,
  type LeadSubmission,
  proseInterpretation,
} from '@lead-distribution/contract'
import { checkLead } from '@lead-distribution/contract/lead-check'
import { assertConfig, ValidationError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'

/** The result of a check of a lead. */
export type LeadCheck =
  | { valid: true; lead: LeadSubmission; issues?: never }
  | {
      valid: false
      lead?: never
      /** Every issue at once, the same that the service would put into `details`. */ // Spec 2.13
      issues: readonly FieldIssue[]
    }

/** Checks leads: a function, and a Standard Schema for form libraries. */
export interface LeadValidator extends StandardSchema<LeadSubmission> {
  (input: unknown): LeadCheck
}

/**
 * The interpretation of the specification where it contradicts itself: `prose` (gender and consent metadata are
 * optional), `formal` (both are required), or each for itself.
 */ // Spec 4.1, 2.3, 2.9
export type LeadInterpretation = 'prose' | 'formal' | Interpretation

/** The names of an interpretation. */
export const knownInInterpretation = { gender: 1, consent_metadata: 1 } satisfies Known<Interpretation>

/**
 * A validator under an interpretation. It never makes code from text (CSP).
 * @throws ConfigError there is no such interpretation.
 * @example
 * ```ts
 * import { createLeadValidator } from '@lead-distribution/publisher-sdk'
 *
 * const validate = createLeadValidator('formal')
 * const checked = validate(input)
 * if (!checked.valid) report(checked.issues) // [{ field: 'product_data.loan_amount', issue: 'must be at least 500' }]
 * ```
 */
export function createLeadValidator(interpretation: LeadInterpretation = 'prose'): LeadValidator {
  const chosen =
    interpretation === 'prose'
      ? proseInterpretation
      : interpretation === 'formal'
        ? formalInterpretation
        : interpretation
  assertConfig(
    chosen?.gender && chosen.consent_metadata,
    'The interpretation must be "prose", "formal", or set `gender` and `consent_metadata`.',
  )
  checkOptions('`createLeadValidator`', chosen, knownInInterpretation)
  function check(input: unknown): LeadCheck {
    const issues = checkLead(input, chosen)
    // The input itself: defaults are the service's to fill in, and nothing is coerced.
    return issues.length === 0 ? { valid: true, lead: input as LeadSubmission } : { valid: false, issues }
  }
  const validate = (value: unknown) => {
    const { lead, issues } = check(value)
    return lead ? { value: lead } : { issues: (issues as readonly FieldIssue[]).map(standardIssue) }
  }
  return Object.assign(check, { '~standard': { version: 1, vendor: 'lead-distribution', validate } as const })
}

/** Checks a lead as the service does, without a client and without sending it, as `prose`. */ // Spec 2.1
export const validateLead: LeadValidator = /* @__PURE__ */ createLeadValidator()

function standardIssue({ field, issue }: FieldIssue) {
  const path = field === 'body' ? [] : field.split('.').map(key => (/^\d+$/.test(key) ? Number(key) : key))
  return { message: issue, path }
}

/** One issue, as Standard Schema has it. */
export interface StandardIssue {
  /** What is wrong. */
  readonly message: string
  /** Where, from the root of the input. */
  readonly path: readonly (string | number)[]
}

/** The interface of validators for form and router libraries (https://standardschema.dev, version 1). */
export interface StandardSchema<Value> {
  /** The interface of Standard Schema, version 1. */
  readonly '~standard': {
    /** The version of the interface. */
    readonly version: 1
    /** Who made the validator. */
    readonly vendor: string
    /** Checks a value: the value itself, or what is wrong with it. */
    readonly validate: (
      value: unknown,
    ) => { readonly value: Value; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] }
    /** Types alone; there is nothing here when a program runs. */
    readonly types?:
      | {
          /** What a valid input is. */
          readonly input: Value
          /** What comes out. */
          readonly output: Value
        }
      | undefined
  }
}

/** Checks one part of a lead as the service does. `more` is what else is wrong with it. @throws ValidationError */
export function checkPart(
  part: Pick<LeadSubmission, 'consents'> | Pick<LeadSubmission, 'tracking'>,
  more: readonly FieldIssue[] = [],
): void {
  const [name] = Object.keys(part)
  const issues = (validateLead(part).issues ?? []).filter(({ field }) => field.split('.')[0] === name)
  if (issues.length + more.length > 0) throw new ValidationError([...issues, ...more])
}
