/** Every error code of the service, with its HTTP status. */ // Spec 7; those not shown there are in the open points
export const errorStatus = {
  validation_error: 400,
  malformed_json: 400,
  unauthorized: 401,
  not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  consents_missing: 422,
  invalid_product: 422,
  publisher_mismatch: 422,
  internal_error: 500,
} as const

/** An error code of the service. */
export type ErrorCode = keyof typeof errorStatus

/** An issue of a field. */ // Spec 2.13
export interface FieldIssue {
  /** A dotted path, such as `consents.entries.0.accepted_at`; `body` for the body as a whole. */
  field: string
  /** What the value must be. */
  issue: string
}

/** How many issues of one input are listed at most. */
export const maxIssues = 100

/** The longest name of a field that is repeated, characters: a name that is not known is as long as its sender likes. */
const maxFieldLength = 200

/** The issues of one input: it keeps as many as are listed, and counts the others. */
export class IssueList {
  readonly #kept: FieldIssue[] = []
  #count = 0

  /** Adds an issue, which is made only where it is kept. */
  add(make: () => FieldIssue): void {
    this.#count += 1
    if (this.#kept.length === maxIssues) return
    const { field, issue } = make()
    this.#kept.push({ field: field.length > maxFieldLength ? `${field.slice(0, maxFieldLength - 1)}…` : field, issue })
  }

  /** The issues in their order. Where there are more than are listed, the last one says how many. */
  list(): FieldIssue[] {
    if (this.#count <= maxIssues) return this.#kept
    const more = this.#count - maxIssues + 1
    return [...this.#kept.slice(0, -1), { field: 'body', issue: `has ${more} more issues, which are not listed` }]
  }
}

/** The body of every error reply. */ // Spec 2.13
export interface ErrorResponse {
  /** Error code. */
  error: string
  /** What was wrong and what to do, for people. */
  message: string
  /** The issues of each field, at most 100, the last of which counts those that are not listed; only in a `400`. */
  details?: FieldIssue[]
}

/** An error reply: the status and the body of 2.13. */
export interface WireError<Code extends string = ErrorCode> {
  /** HTTP status. */
  status: number
  /** Body of 2.13. */
  body: ErrorResponse & { error: Code }
}

/** The error reply with this code: its status from {@link errorStatus}, its body in the shape of 2.13. */
export function wireError(error: ErrorCode, message: string, details?: FieldIssue[]): WireError {
  return { status: errorStatus[error], body: details ? { error, message, details } : { error, message } }
}

/** A `400 validation_error` that lists every issue at once, up to {@link maxIssues}. */ // Spec 2.13
export function validationError(issues: readonly FieldIssue[]): WireError {
  const list = new IssueList()
  for (const issue of issues) list.add(() => issue)
  const details = list.list()
  const fields = [...new Set(details.map(detail => detail.field))].slice(0, 5).join(', ')
  return wireError(
    'validation_error',
    `The request failed validation. Correct these fields and send it again: ${fields}.`,
    details,
  )
}
