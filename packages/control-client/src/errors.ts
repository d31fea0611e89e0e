import type { ErrorResponse, FieldIssue } from '@lead-distribution/contract'

// Symbol.for, because `instanceof` is false across two copies of these classes in different packages.
const brand: unique symbol = Symbol.for('@lead-distribution/control-client')

function isOf(value: unknown, kind: 'ControlError' | 'PathError'): boolean {
  return typeof value === 'object' && value !== null && (value as { [brand]?: string })[brand] === kind
}

/**
 * The code of a failure without a response from a sandbox: `unreachable`, nothing responds; `tls_failed`, no secure
 * connection, because the certificate is not trusted or the port does not speak TLS; `connection_lost`, the connection
 * broke before the response was complete, so the call may have taken effect; `timed_out`, no response in time, so the
 * call may have taken effect; `not_a_sandbox`, another server responds.
 * @category Errors
 */
export type ConnectionErrorCode = 'unreachable' | 'tls_failed' | 'connection_lost' | 'timed_out' | 'not_a_sandbox'

/**
 * Thrown when a control plane call fails: the sandbox refused it, or no sandbox responded. The message names the
 * operation, the problem, and each invalid field. It never contains the admin token.
 * @example
 * ```ts
 * import { ControlError } from '@lead-distribution/control-client'
 *
 * const refused = await tenant.clock.advance({ by: 'tomorrow' }).catch((error: unknown) => error)
 * if (ControlError.is(refused)) console.log(refused.status, refused.code, refused.details)
 * // 400 validation_error [ { field: 'by', issue: 'must be …' } ]
 * ```
 * @category Errors
 */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  /** The operation, such as `advanceClock`. */
  readonly operation: string
  /** The HTTP status of the response; 0 if there was none. */
  readonly status: number
  /** The control plane's error code, such as `not_found`, or the code of the failed connection. */
  readonly code: ConnectionErrorCode | (string & Record<never, never>)
  /** The sandbox's message, without the operation and the fields. */
  readonly reason: string
  /** The issues of the invalid fields; empty if no single field is invalid. */
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

  /** Brand that works across copies of the package. @hidden */
  get [brand](): string {
    return 'ControlError'
  }

  /** Returns true if a caught value is a `ControlError`, from any copy of the package. */
  static is(value: unknown): value is ControlError {
    return isOf(value, 'ControlError')
  }
}

/**
 * Thrown for a name or id that cannot be part of a path. Nothing was sent.
 * @example
 * ```ts
 * import { PathError } from '@lead-distribution/control-client'
 *
 * try {
 *   await tenant.leads.show('..')
 * } catch (error) {
 *   if (PathError.is(error)) report(error.message) // nothing was sent
 * }
 * ```
 * @category Errors
 */
export class PathError extends TypeError {
  override readonly name = 'PathError'

  /** Brand that works across copies of the package. @hidden */
  get [brand](): string {
    return 'PathError'
  }

  /** Returns true if a caught value is a `PathError`, from any copy of the package. */
  static is(value: unknown): value is PathError {
    return isOf(value, 'PathError')
  }
}
