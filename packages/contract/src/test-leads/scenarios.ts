import { type FieldIssue, type RejectionReason, rejectionReasons, statusOfCode, type WireError } from '../index.ts'

/** A named outcome or effect that an e-mail address or a header selects. */
export interface ScenarioDefinition {
  /** The forced decision, regardless of the lead's data. Without one, the rules decide. */
  readonly outcome?: 'new' | 'distributed' | RejectionReason
  /** The effect on the submission, like a fault's. An effect that replaces the call prevents any decision. */
  readonly effect?: { readonly status: number } | { readonly timeout: true } | { readonly lost_reply: true }
  /** The outcome, in one sentence. */
  readonly description: string
}

const rejections = Object.fromEntries(
  rejectionReasons.map(reason => [reason, { outcome: reason, description: `Rejects the lead as ${reason}.` }]),
) as Record<RejectionReason, ScenarioDefinition>

const rows = {
  new: { outcome: 'new', description: 'Creates the lead; no advertiser accepts it.' },
  distributed: { outcome: 'distributed', description: 'Creates the lead; an advertiser accepts it.' },
  ...rejections,
  http_401: { effect: { status: 401 }, description: 'Returns the 401 for an unknown key.' },
  http_422: { effect: { status: 422 }, description: 'Returns a 422.' },
  http_500: { effect: { status: 500 }, description: 'Returns a 500.' },
  http_503: { effect: { status: 503 }, description: 'Returns a 503.' },
  timeout: { effect: { timeout: true }, description: 'Never responds, and stores nothing.' },
  lost_reply: {
    effect: { lost_reply: true },
    description: 'Decides on the lead, then cuts the connection before the response.',
  },
} satisfies Record<string, ScenarioDefinition>

/**
 * One forced outcome of a scenario.
 * @category Testing
 */
export type ScenarioWord = keyof typeof rows

/** Every scenario: a forced decision, or an effect. */
export const scenarios: Readonly<Record<ScenarioWord, ScenarioDefinition>> = rows

/**
 * The outcomes that a sandbox forces on demand, regardless of the lead's data: a status, a reason, an error, or a
 * connection fault.
 * @category Testing
 */
export const scenarioWords = Object.keys(rows) as readonly ScenarioWord[]

/**
 * One forced outcome for every submission, or a dot-separated chain with one for each submission.
 * @category Testing
 */
export type Scenario = ScenarioWord | `${ScenarioWord}.${string}`

/** The maximum length of a chain of scenarios, in characters. */
export const maxChainLength = 1_000

/**
 * Returns a scenario's forced outcomes, in order for a chain; undefined if one is unknown, or if the chain is too long.
 */
export function readScenario(text: string): readonly ScenarioWord[] | undefined {
  if (text.length > maxChainLength) return undefined
  const words = text.split('.')
  return words.every(isWord) ? words : undefined
}

function isWord(text: string): text is ScenarioWord {
  return Object.hasOwn(rows, text)
}

const pattern = /^([^+@]+)\+[^@]*@sandbox\.test$/i

/**
 * Returns the part before the plus in `<scenario>+<anything>@sandbox.test`, in lower case; undefined for other
 * addresses.
 */
export function scenarioOfEmail(email: string): string | undefined {
  return pattern.exec(email)?.[1]?.toLowerCase()
}

/** Returns the e-mail address that asks a sandbox for a scenario. */
export function scenarioAddress(scenario: Scenario, unique: string): string {
  return `${scenario}+${unique}@sandbox.test`
}

/** The error codes of statuses that the service itself never sends, only proxies and the like. */
const foreignCodes: Readonly<Record<number, string>> = {
  409: 'conflict',
  429: 'too_many_requests',
  502: 'bad_gateway',
  504: 'gateway_timeout',
}

/**
 * Returns the error response of a forced status, with the service's own code if it has one; `retry_after` is in
 * seconds.
 */
export function forcedError(
  status: number,
  retry_after?: number,
): WireError<string> & { headers?: { 'retry-after': string } } {
  const known = Object.entries(statusOfCode)
  const code = known.find(([, known]) => known === status)?.[0]
  const error = code ?? foreignCodes[status] ?? `http_${status}`
  const message =
    'This response was injected: a fault or a scenario applies to this request. Clear it, or send the request again.'
  const details: FieldIssue[] = [{ field: 'body', issue: 'is refused deliberately' }]
  const body = { error, message, ...(status === 400 && { details }) }
  return { status, body, ...(retry_after !== undefined && { headers: { 'retry-after': String(retry_after) } }) }
}
