/** Every error code of the service, with its HTTP status (Spec 7; those not shown there are documented in open points). */
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

/** An issue of a field (Spec 2.13). */
export interface FieldIssue {
  /** A dotted path, such as `consents.entries.0.accepted_at`; `body` for the body as a whole. */
  field: string
  /** What the value must be. */
  issue: string
}

/** The body of every error reply (Spec 2.13). */
export interface ErrorResponse {
  /** Error code. */
  error: string
  /** What was wrong and what to do, for people. */
  message: string
  /** The issues of each field; only in a `400`. */
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

/** A `400 validation_error` that lists every issue at once (Spec 2.13). */
export function validationError(details: FieldIssue[]): WireError {
  const fields = [...new Set(details.map(detail => detail.field))].slice(0, 5).join(', ')
  return wireError(
    'validation_error',
    `The request failed validation. Correct these fields and send it again: ${fields}.`,
    details,
  )
}
