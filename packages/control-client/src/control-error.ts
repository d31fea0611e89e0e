import type { ErrorResponse, FieldIssue } from '@lead-distribution/contract'

/**
 * The failure of a call that the sandbox did not refuse:
 * `unreachable`, nothing responds there; `connection_lost`, it broke before the response was complete, so the call may have
 * taken effect; `timed_out`, no response in time, so the call may have taken effect; `not_a_sandbox`, another server responds.
 */
export type ConnectionErrorCode = 'unreachable' | 'connection_lost' | 'timed_out' | 'not_a_sandbox'

/**
 * A control plane call that failed: refused by the sandbox, or without a response from one. The message names the
 * operation, what was wrong with it, and each field that is wrong. It never holds the admin token.
 *
 * @example
 * ```ts
 * import { ControlError } from '@lead-distribution/control-client'
 *
 * const refused = await tenant.clock.advance({ by: 'tomorrow' }).catch((error: unknown) => error)
 * if (refused instanceof ControlError) console.log(refused.status, refused.code, refused.details)
 * // 400 validation_error [ { field: 'by', issue: 'must be …' } ]
 * ```
 */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  /** The operation, such as `advanceClock`. */
  readonly operation: string
  /** The HTTP status of the response; 0 if there was none. */
  readonly status: number
  /** The error code of the control plane, such as `not_found`, or a {@link ConnectionErrorCode}. */
  readonly code: ConnectionErrorCode | (string & Record<never, never>)
  /** The message of the sandbox, without the operation and the fields. */
  readonly reason: string
  /** The issue of each invalid field; empty if no single field is wrong. */
  readonly details: readonly FieldIssue[]

  constructor(operation: string, status: number, response: ErrorResponse, options?: ErrorOptions) {
    const { error, message, details = [] } = response
    const fields = details.map(({ field, issue }) => `${field} ${issue}.`)
    super([`${operation} ${status === 0 ? 'failed' : 'was refused'}.`, message, ...fields].join(' '), options)
    this.operation = operation
    this.status = status
    this.code = error
    this.reason = message
    this.details = details
  }
}

/** Returns true if the body of a response has the shape of an error response. */ // Spec 2.13
export function isErrorResponse(body: unknown): body is ErrorResponse {
  return typeof body === 'object' && body !== null && 'error' in body && 'message' in body
}

/**
 * Returns the message for a redirect, which the control plane never sends; undefined for any other response. A browser hides
 * where a redirect goes.
 */
export function redirectMessage(origin: string, { status, type, headers }: Response): string | undefined {
  if (type !== 'opaqueredirect' && ![301, 302, 303, 307, 308].includes(status)) return undefined
  const location = headers.get('location')
  if (location === null || !URL.canParse(location, origin))
    return `${origin} redirects and does not respond as a sandbox itself. Open the address in a browser to see where it leads.`
  const to = new URL(location, origin)
  const advice = to.origin === origin ? 'Check the path of its address' : `Use ${to.origin} as its address`
  // Without its query, which may hold a secret, such as the state of a sign-in.
  return `${origin} redirects to ${to.origin}${to.pathname} and does not respond as a sandbox itself. ${advice}, or sign in if a proxy asks for it.`
}
