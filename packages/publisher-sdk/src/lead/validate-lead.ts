import { checkLead, type FieldIssue, type LeadSubmission, proseInterpretation } from '@lead-distribution/contract'
import { ValidationError } from '@lead-distribution/sdk-core/errors'

/**
 * The result of validating a lead.
 * @category Leads
 */
export type LeadCheck =
  | { valid: true; lead: LeadSubmission; issues?: never }
  | {
      valid: false
      lead?: never
      /** All issues at once, the same ones that the service would return in `details`. */ // Spec 2.13
      issues: readonly FieldIssue[]
    }

/** A function that validates leads, and a Standard Schema (version 1, https://standardschema.dev). @inline */
type LeadValidator = {
  (input: unknown): LeadCheck
  /** The Standard Schema interface. */
  readonly '~standard': {
    /** The interface version. */
    readonly version: 1
    /** The validator's vendor. */
    readonly vendor: string
    /** Validates a value. Returns the value itself, or its issues. */
    readonly validate: (
      value: unknown,
    ) =>
      | { readonly value: LeadSubmission; readonly issues?: undefined }
      | { readonly issues: readonly { readonly message: string; readonly path: readonly (string | number)[] }[] }
    /** The input and output types; undefined at run time. */
    readonly types?: { readonly input: LeadSubmission; readonly output: LeadSubmission } | undefined
  }
}

/**
 * Validates a lead as `submit` does before sending it. It is a function and a Standard Schema
 * (https://standardschema.dev) for form libraries. It sends nothing, needs no client, and works under a CSP without
 * `unsafe-eval`.
 *
 * The specification is ambiguous about `gender` and `consents.metadata`: a lead without them is valid.
 * @example
 * ```ts
 * import { validateLead } from '@lead-distribution/publisher-sdk'
 *
 * const checked = validateLead(input)
 * if (!checked.valid) report(checked.issues) // [{ field: 'product_data.loan_amount', issue: 'must be at least 500' }]
 * ```
 * @category Leads
 */ // Spec 2.1, 2.3, 2.9
export const validateLead: LeadValidator = /* @__PURE__ */ Object.assign(check, {
  '~standard': { version: 1, vendor: 'lead-distribution', validate } as const,
})

function check(input: unknown): LeadCheck {
  const text = jsonOf(input)
  const issues = text === undefined ? [notJson] : checkLead(JSON.parse(text), proseInterpretation)
  // The input itself: defaults are left to the service, and nothing is coerced.
  return issues.length === 0 ? { valid: true, lead: input as LeadSubmission } : { valid: false, issues }
}

function validate(value: unknown) {
  const { lead, issues = [] } = check(value)
  return lead ? { value: lead } : { issues: issues.map(standardIssue) }
}

function standardIssue({ field, issue }: FieldIssue) {
  const path = field === 'body' ? [] : field.split('.').map(key => (/^\d+$/.test(key) ? Number(key) : key))
  return { message: issue, path }
}

/** The issue of a value that JSON cannot represent. */
export const notJson: FieldIssue = { field: 'body', issue: 'must be JSON-serializable' }

/**
 * Returns the JSON that is sent for a value; undefined if there is none. A getter, a `toJSON` or an inherited field may
 * make it differ from the object's own fields.
 */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // A bigint, a cycle, or a getter that throws; the runtime's own error may contain values of the lead.
    return undefined
  }
}

/**
 * Validates one part of a lead like the service.
 * @param more Other issues of the part.
 * @throws ValidationError it has issues.
 */
export function checkPart(
  part: Pick<LeadSubmission, 'consents'> | Pick<LeadSubmission, 'tracking'>,
  more: readonly FieldIssue[] = [],
): void {
  const [name] = Object.keys(part)
  const issues = (validateLead(part).issues ?? []).filter(({ field }) => [name, 'body'].includes(field.split('.')[0]))
  if (issues.length + more.length > 0) throw new ValidationError([...issues, ...more])
}
