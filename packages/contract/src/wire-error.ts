import type { ErrorResponse, FieldIssue } from './interfaces.generated.ts'

/** Every error code of the service, with its HTTP status. */ // Spec 7; the codes not shown there are open points
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

/**
 * The error codes that any request may get, whatever its operation, with their HTTP status: the server can't read the
 * request, refuses it, or fails.
 */
export const serverErrorStatus = {
  malformed_request: 400,
  forbidden: 403,
  request_timeout: 408,
  precondition_failed: 412,
  expectation_failed: 417,
  headers_too_large: 431,
  not_implemented: 501,
  service_unavailable: 503,
  overloaded: 503,
  http_version_not_supported: 505,
} as const

/** An error code that any request may get. */
export type ServerErrorCode = keyof typeof serverErrorStatus

/** The HTTP status of each error code. */
export const statusOfCode = { ...errorStatus, ...serverErrorStatus } as const

/** The maximum number of issues listed for one input. */
export const maxIssues = 100

/** The maximum length of a field's name, in characters: the sender chooses the length of an unknown name. */
const maxFieldLength = 200

/** The issues of one input. Stores the first ones, and counts the others. */
export class IssueList {
  readonly #kept: FieldIssue[] = []
  #count = 0

  /** Adds an issue, which is created only if it is stored. */
  add(make: () => FieldIssue): void {
    this.#count += 1
    if (this.#kept.length === maxIssues) return
    const { field, issue } = make()
    this.#kept.push({ field: field.length > maxFieldLength ? `${field.slice(0, maxFieldLength - 1)}…` : field, issue })
  }

  /** Returns the issues in order. If there are too many, the last one gives the number of the others. */
  list(): FieldIssue[] {
    if (this.#count <= maxIssues) return this.#kept
    const more = this.#count - maxIssues + 1
    return [...this.#kept.slice(0, -1), { field: 'body', issue: `has ${more} more issues that are not listed` }]
  }
}

/** An error response: its status and its body (2.13). */
export interface WireError<Code extends string = ErrorCode> {
  /** HTTP status. */
  status: number
  /** Body (2.13). */
  body: ErrorResponse & { error: Code }
}

/** Returns the error response for this code: its status from {@link statusOfCode}, its body in the shape of 2.13. */
export function wireError<Code extends ErrorCode | ServerErrorCode>(
  error: Code,
  message: string,
  details?: FieldIssue[],
): WireError<Code> {
  return { status: statusOfCode[error], body: details ? { error, message, details } : { error, message } }
}

/** Returns a `400 validation_error` that lists every issue at once, up to {@link maxIssues}. */ // Spec 2.13
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

/** The URL of the documentation: the repository, until there is a site. */
const documentation = 'https://github.com/lead-distribution/toolkit/blob/main/docs'

/** Topics with one page per name: SDK errors, the service's error codes, rejection reasons. */
export type DocTopic = 'sdk' | 'service' | 'rejections'

/**
 * Returns the URL of the page that explains an error or a rejection reason: its meaning, when to retry, how to trigger
 * it.
 */
export function docUrl(topic: DocTopic, name: string): string {
  return `${documentation}/errors/${topic}/${name}.md`
}

/**
 * Returns the URL of the page about a response's error code; undefined for a code that the service does not have, such
 * as a proxy's.
 */
export function errorCodeDocUrl(code: string | null | undefined): string | undefined {
  return code && Object.hasOwn(statusOfCode, code) ? docUrl('service', code) : undefined
}
