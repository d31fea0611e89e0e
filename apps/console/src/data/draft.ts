import { toHex } from '@lead-distribution/contract'
import {
  createTestLeads,
  type Reached,
  requestsOf,
  type ScenarioWord,
  scenarioAddress,
  scenarioOfEmail,
  scenarioWords,
  type TestLead,
  type TestLeadEntry,
  type TestRequest,
  testLeadCatalogue,
} from '@lead-distribution/contract/test-leads'
import type { Account } from '@lead-distribution/control-client'

/** A starting point for a submission: an entry of the catalog, or a forced outcome. */
export type Choice =
  | { readonly id: string; readonly label: string; readonly entry: TestLeadEntry }
  | { readonly id: string; readonly label: string; readonly scenario: ScenarioWord }

/** Every choice: first outcomes reached by data, then forced ones. */
export const choices: readonly Choice[] = [
  ...testLeadCatalogue.map(entry => {
    const label = labelOf(entry.reaches)
    const others = testLeadCatalogue.filter(other => other !== entry && labelOf(other.reaches) === label)
    return {
      id: `${entry.name}-${label}`,
      // Several leads can reach the same outcome.
      label: others.length === 0 ? label : `${label} (${wordsOf(entry.name)})`,
      entry,
    }
  }),
  ...scenarioWords.map(scenarioChoice),
]

/** Returns the words of a name, such as `inactive product`. */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
}

/** Returns the choice of a forced outcome. */
export function scenarioChoice(scenario: ScenarioWord): Choice {
  return { id: `scenario-${scenario}`, label: scenario, scenario }
}

/** Returns the choice with a label, preferably one reached by data. */
export function choiceOf(label: string): Choice {
  const found = choices.find(each => each.label === label)
  if (!found) throw new Error(`There is no test lead for ${label}.`)
  return found
}

/** A submission being written. */
export interface Draft {
  /** Requests to send first, for an outcome that requires two submissions by the same customer. */
  readonly before: readonly TestRequest[]
  readonly headers: TestRequest['headers']
  /** The body, as shown and sent. */
  readonly body: string
  /** True if a dry run of the body can't predict the outcome, because an earlier request or a header matters too. */
  readonly needsAll: boolean
  /** The expected outcome of the body as it was created. */
  readonly reaches?: Reached | undefined
  /** True if the body was edited, so the outcome may differ. */
  readonly isEdited?: true
  /** The requests already sent for this customer, in order, because they affect the next one. */
  readonly sent?: readonly TestRequest[]
}

/** Returns all requests of a draft's customer in order: those already sent, and those to send. The last one has the body. */
export function requestsOfDraft({ sent = [], before, headers, body }: Draft): readonly TestRequest[] {
  return [...sent, ...before, { headers, body }]
}

/** Returns a draft of a request that was sent before. */
export function draftOfRequest({ headers, body }: TestRequest): Draft {
  const isCompact = JSON.stringify(parsedJson(body)) === body
  const request = { headers, body: isCompact ? indented(body) : body }
  return { before: [], ...request, needsAll: !isPlain(request), isEdited: true }
}

/** Returns true for a request that the publisher SDK can send: a JSON object with the account's own key. */
export function isJsonRequest({ headers, body }: TestRequest): boolean {
  const json = parsedJson(body)
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  return (
    isObject && !body.endsWith(' ') && headers['content-type'] === 'application/json' && headers.apikey === undefined
  )
}

/** Returns true for a request whose outcome depends only on its body. */
function isPlain({ headers, body }: TestRequest): boolean {
  return Object.keys(headers).length === 1 && headers['content-type'] === 'application/json' && isJson(body)
}

/**
 * Creates a submission. `today` is the tenant's time.
 * @throws Error if the account's criteria can't produce the outcome. The message says what to change.
 */
export function draftOf(choice: Choice, account: Account, today: Date): Draft {
  const leads = createTestLeads(account, { tag: newUuid().slice(0, 8), today })
  const testLead: TestLead = 'scenario' in choice ? leads.scenario(choice.scenario) : leads[choice.entry.name]()
  const requests = requestsOf(testLead)
  const last = requests.at(-1)
  if (!last) throw new Error('The test lead has no request.')
  const before = requests.slice(0, -1)
  return {
    before,
    headers: last.headers,
    body: indented(last.body),
    needsAll: before.length > 0 || !isPlain(last),
    reaches: 'entry' in choice ? choice.entry.reaches : undefined,
  }
}

/** Returns the value of a field in a JSON text, or undefined if it is missing or the text isn't JSON. */
export function readField(body: string, path: string): unknown {
  return fieldOf(parsedJson(body), path)
}

/** Returns the value of a field in a parsed JSON text, or undefined if it is missing. */
export function fieldOf(json: unknown, path: string): unknown {
  let value = json
  for (const name of path.split('.')) value = Object(value)[name]
  return value
}

/**
 * Returns the JSON text with one field changed, creating missing objects. `undefined` removes the field. Text that isn't a
 * JSON object stays the same.
 */
export function writeField(body: string, path: string, value: unknown): string {
  const root = parsedJson(body)
  if (typeof root !== 'object' || root === null) return body
  const names = path.split('.')
  const last = names.pop() ?? ''
  let holder = root as Record<string, unknown>
  for (const name of names) {
    const inner = holder[name]
    const next = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {}
    holder[name] = next
    holder = next
  }
  holder[last] = value
  return JSON.stringify(root, null, 2)
}

/** The path of the e-mail address, which identifies the customer. */
export const emailPath = 'customer.contact.email.address'

/**
 * Returns a draft like `draft` for the customer of `fresh`, a new draft of the same choice. Keeps edits, apart from the
 * e-mail address, which identifies the customer.
 */
export function forNextCustomer(draft: Draft, fresh: Draft): Draft {
  if (!draft.isEdited) return fresh
  const { headers, needsAll } = draft
  const scenario = scenarioOfEmail(String(readField(draft.body, emailPath)))
  const email = scenario
    ? scenarioAddress(scenario as ScenarioWord, newUuid().slice(0, 8))
    : readField(fresh.body, emailPath)
  return { ...fresh, headers, needsAll, body: writeField(draft.body, emailPath, email), isEdited: true }
}

/** Returns the draft with another body. */
export function edited(draft: Draft, body: string): Draft {
  return { ...draft, body, isEdited: true }
}

/** Parses a JSON text. Returns undefined if it isn't JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the syntax error of a text. Undefined if the text is JSON. */
export function syntaxErrorOf(text: string): { readonly offset: number; readonly issue: string } | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const { message } = error as Error
    return { offset: offsetOf(message, text), issue: `This isn't valid JSON: ${message}` }
  }
}

/**
 * Returns the offset in a browser's message: Chromium has a position, Firefox a line and column. Otherwise, returns the
 * end.
 */
function offsetOf(message: string, text: string): number {
  const position = /position (\d+)/.exec(message)
  if (position) return Number(position[1])
  const place = /line (\d+) column (\d+)/.exec(message)
  if (!place) return text.trimEnd().length
  const before = text.split('\n').slice(0, Number(place[1]) - 1)
  return before.reduce((sum, line) => sum + line.length + 1, 0) + Number(place[2]) - 1
}

const isJson = (text: string) => parsedJson(text) !== undefined

/** Indents JSON. Returns text that isn't JSON, or is padded to a size, unchanged. */
function indented(body: string): string {
  const value = parsedJson(body)
  return value === undefined || body.endsWith(' ') ? body : JSON.stringify(value, null, 2)
}

function labelOf(reached: Reached): string {
  if ('error' in reached) return `${reached.http} ${reached.error}`
  return reached.status === 'rejected' ? reached.rejection_reason : reached.status
}

/**
 * Creates a random UUID. `crypto.randomUUID` exists only in a secure context, and a shared sandbox's page may come over
 * plain HTTP.
 */
export function newUuid(): string {
  const hex = toHex(crypto.getRandomValues(new Uint8Array(16)))
  const version4 = `${hex.slice(0, 12)}4${hex.slice(13, 16)}8${hex.slice(17)}`
  return version4.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
