import type { ErrorResponse, FieldIssue } from '@lead-distribution/contract'
import { CommandFault } from '../exit-codes.ts'

/** A refusal of the server, in the shape of 2.13: its message, and below it what is wrong field by field. */
export class ServerRefusal extends CommandFault {
  /** HTTP status. */
  readonly status: number
  /** The error's code, such as `not_found`. */
  readonly error: string

  constructor(status: number, { error, message, details = [] }: ErrorResponse) {
    super([`${message} (${status} ${error})`, ...details.map(line)].join('\n'))
    this.status = status
    this.error = error
  }
}

/** Whether a body has the shape of 2.13. */
export function isErrorResponse(body: unknown): body is ErrorResponse {
  return typeof body === 'object' && body !== null && 'error' in body && 'message' in body
}

const line = ({ field, issue }: FieldIssue) => `  ${field}: ${issue}`
