import { type ErrorCode, errorStatus, type FieldIssue, type WireError } from '../wire-error.ts'

/** What statuses that the service itself never answers are called. */
const foreignCodes: Readonly<Record<number, string>> = {
  403: 'forbidden',
  408: 'request_timeout',
  409: 'conflict',
  429: 'too_many_requests',
  502: 'bad_gateway',
  503: 'service_unavailable',
  504: 'gateway_timeout',
}

/** A refusal with a status that somebody ordered, in the shape of 2.13 and with the service's own code where it has one. */
export function orderedRefusal(status: number): WireError<string> {
  const code = Object.keys(errorStatus).find(name => errorStatus[name as ErrorCode] === status)
  const error = code ?? foreignCodes[status] ?? `http_${status}`
  const message = 'Answered on purpose: a fault or a scenario was set for this call. Clear it, or send it again.'
  const details: FieldIssue[] = [{ field: 'body', issue: 'is refused on purpose' }]
  return { status, body: { error, message, ...(status === 400 && { details }) } }
}
