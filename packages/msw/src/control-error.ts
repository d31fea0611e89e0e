import type { ErrorResponse, FieldIssue } from '@lead-distribution/contract'

/** A call of the control plane that was refused. The message says why, and names each field that is wrong. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  /** The HTTP status that the control plane answers over a socket. */
  readonly status: number
  /** The error code, such as `not_found`. */
  readonly code: string
  /** What is wrong with which field; empty where it is no matter of a field. */
  readonly details: readonly FieldIssue[]

  constructor(operation: string, status: number, { error, message, details = [] }: ErrorResponse) {
    const told = details.map(({ field, issue }) => `${field} ${issue}.`)
    super([`${operation} was refused.`, message, ...told].join(' '))
    this.status = status
    this.code = error
    this.details = details
  }
}
