import { type FieldIssue, type RejectionReason, rejectionReasons, statusOfCode, type WireError } from '../index.ts'

/** The effect of a scenario. Without an outcome and a status, the rules decide. */
export interface ScenarioEffect {
  /** The decision that it forces, whatever the data of the lead. */
  readonly outcome?: 'new' | 'distributed' | RejectionReason
  /** The HTTP status of the error that it forces; no decision is made. */
  readonly status?: number
  /** The way in which the response is lost. */
  readonly breaks?: 'withheld' | 'cut'
  /** The effect in one sentence. */
  readonly description: string
}

const rejections = Object.fromEntries(
  rejectionReasons.map(reason => [reason, { outcome: reason, description: `Rejects the lead as ${reason}.` }]),
) as Record<RejectionReason, ScenarioEffect>

/** Every scenario with its effect. */
const effects = {
  new: { outcome: 'new', description: 'Creates the lead; no advertiser accepts it.' },
  distributed: { outcome: 'distributed', description: 'Creates the lead; an advertiser accepts it.' },
  ...rejections,
  http_401: { status: 401, description: 'Returns the 401 of an unknown key.' },
  http_422: { status: 422, description: 'Returns a 422.' },
  http_500: { status: 500, description: 'Returns a 500.' },
  http_503: { status: 503, description: 'Returns a 503.' },
  timeout: { status: 504, breaks: 'withheld', description: 'Never responds, and keeps nothing.' },
  lost_reply: { breaks: 'cut', description: 'Decides on the lead, then cuts the connection before the response.' },
} satisfies Record<string, ScenarioEffect>

/** One forced outcome of a scenario. */
export type ScenarioWord = keyof typeof effects

/** Every scenario with its effect, such as a decision that it forces, an error, or a fault of the connection. */
export const scenarios: Readonly<Record<ScenarioWord, ScenarioEffect>> = effects

/** The outcomes that a sandbox forces on demand, whatever the data of the lead: a status, a reason, an error, or a fault of the connection. */
export const scenarioWords = Object.keys(effects) as readonly ScenarioWord[]

/** One forced outcome for every submission, or a chain joined by dots with one for each submission. */
export type Scenario = ScenarioWord | `${ScenarioWord}.${string}`

/** The longest chain of scenarios, characters. */
export const maxChainLength = 1_000

/** The forced outcomes of a scenario, those of a chain in their order; undefined where one is unknown, or it is too long. */
export function readScenario(text: string): readonly ScenarioWord[] | undefined {
  if (text.length > maxChainLength) return undefined
  const words = text.split('.')
  return words.every(isWord) ? words : undefined
}

function isWord(text: string): text is ScenarioWord {
  return Object.hasOwn(effects, text)
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

/** The error codes of statuses that only others than the service have, such as proxies. */
const foreignCodes: Readonly<Record<number, string>> = {
  409: 'conflict',
  429: 'too_many_requests',
  502: 'bad_gateway',
  504: 'gateway_timeout',
}

/** The error reply of a forced status, in the shape of 2.13, with the service's own code where it has one. */
export function forcedRefusal(status: number): WireError<string> {
  const known = Object.entries(statusOfCode)
  const code = known.find(([, known]) => known === status)?.[0]
  const error = code ?? foreignCodes[status] ?? `http_${status}`
  const message =
    'This response is on purpose: a fault or a scenario was set for this call. Clear it, or send it again.'
  const details: FieldIssue[] = [{ field: 'body', issue: 'is refused on purpose' }]
  return { status, body: { error, message, ...(status === 400 && { details }) } }
}
