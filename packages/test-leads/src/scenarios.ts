/**
 * The outcomes that a sandbox is forced to.
 * @module @lead-distribution/test-leads/scenarios
 */

import {
  type ErrorCode,
  errorStatus,
  type FieldIssue,
  rejectionReasons,
  type WireError,
} from '@lead-distribution/contract'

/** The outcomes that a sandbox forces on demand, whatever the data of the lead: a status, a reason, an error, or a fault of the connection. */
export const scenarioWords = [
  'new',
  'distributed',
  ...rejectionReasons,
  'http_401',
  'http_422',
  'http_500',
  'http_503',
  'timeout',
  'lost_reply',
] as const

/** One forced outcome of a scenario. */
export type ScenarioWord = (typeof scenarioWords)[number]

/** One forced outcome for every submission, or a chain joined by dots with one for each submission. */
export type Scenario = ScenarioWord | `${ScenarioWord}.${string}`

/** The forced outcomes of a scenario, those of a chain in their order; undefined where one is unknown. */
export function readScenario(text: string): readonly ScenarioWord[] | undefined {
  const words = text.split('.')
  return words.every(isWord) ? words : undefined
}

function isWord(text: string): text is ScenarioWord {
  return (scenarioWords as readonly string[]).includes(text)
}

const pattern = /^([^+@]+)\+[^@]*@sandbox\.test$/i

/** The part before the plus of `<scenario>+<anything>@sandbox.test`, in lower case; undefined for another address. */
export function scenarioOfEmail(email: string): string | undefined {
  return pattern.exec(email)?.[1]?.toLowerCase()
}

/** The e-mail address that asks a sandbox for a scenario. */
export function scenarioAddress(scenario: Scenario, unique: string): string {
  return `${scenario}+${unique}@sandbox.test`
}

/** The error codes of statuses that the service itself never has. */
const foreignCodes: Readonly<Record<number, string>> = {
  403: 'forbidden',
  408: 'request_timeout',
  409: 'conflict',
  429: 'too_many_requests',
  502: 'bad_gateway',
  503: 'service_unavailable',
  504: 'gateway_timeout',
}

/** The error reply of a forced status, in the shape of 2.13, with the service's own code where it has one. */
export function forcedRefusal(status: number): WireError<string> {
  const code = Object.keys(errorStatus).find(name => errorStatus[name as ErrorCode] === status)
  const error = code ?? foreignCodes[status] ?? `http_${status}`
  const message = 'Answered on purpose: a fault or a scenario was set for this call. Clear it, or send it again.'
  const details: FieldIssue[] = [{ field: 'body', issue: 'is refused on purpose' }]
  return { status, body: { error, message, ...(status === 400 && { details }) } }
}
