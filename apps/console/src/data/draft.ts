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
  type TestLeads,
  type TestRequest,
  testLeadCatalog,
} from '@lead-distribution/contract/test-leads'
import type { Account } from '@lead-distribution/control-client'
import { scenarioHeader } from '@lead-distribution/simulator/effects'
import { indented, parsedJson, valueAt, writeField } from './json.ts'
import { newUuid } from './new-uuid.ts'

/** A starting point for a submission: a test lead of the catalog, or a forced outcome. */
export interface Choice {
  readonly id: string
  readonly label: string
  /** Says why the service decides this way. */
  readonly about: string
  readonly isForced: boolean
  /** The outcome by data; undefined for a forced one. */
  readonly reaches?: Reached
  /** The settings that the outcome requires. */
  readonly settings?: TestLeadEntry['settings']
  readonly build: (leads: TestLeads) => TestLead
}

/** Every choice: first outcomes reached by data, then forced ones. */
export const choices: readonly Choice[] = [
  ...testLeadCatalog.map(({ name, reaches, because, settings }) => {
    const label = labelOf(reaches)
    const isOnly = testLeadCatalog.every(other => other.name === name || labelOf(other.reaches) !== label)
    const words = name.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
    return {
      id: `${name}-${label}`,
      // Several leads can reach the same outcome.
      label: isOnly ? label : `${label} (${words})`,
      about: because,
      isForced: false,
      reaches,
      settings,
      build: (leads: TestLeads) => leads[name](),
    }
  }),
  ...scenarioWords.map(scenarioChoice),
]

/** Returns the choice of a forced outcome. */
export function scenarioChoice(scenario: ScenarioWord): Choice {
  return {
    id: `scenario-${scenario}`,
    label: scenario,
    about: 'The sandbox forces this outcome, regardless of the data.',
    isForced: true,
    build: leads => leads.scenario(scenario),
  }
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

const repeatReasons: readonly unknown[] = ['customer_already_exists', 'duplicate_submission']

/** Returns true if a response rejects a draft because of an earlier lead, unless a scenario forces that. */
export function isRepeat(draft: Pick<Draft, 'headers' | 'body'>, response: unknown): boolean {
  const isForced = scenarioHeader in draft.headers || scenarioOfEmail(emailOf(draft)) !== undefined
  return !isForced && repeatReasons.includes(Object(response).rejection_reason)
}

/** Returns true for a request whose outcome depends only on its body. */
function isPlain({ headers, body }: TestRequest): boolean {
  return (
    Object.keys(headers).length === 1 &&
    headers['content-type'] === 'application/json' &&
    parsedJson(body) !== undefined
  )
}

/**
 * Creates a submission. `today` is the tenant's time.
 * @throws Error if the account's criteria can't produce the outcome. The message says what to change.
 */
export function draftOf(choice: Choice, account: Account, today: Date): Draft {
  const leads = createTestLeads(account, { tag: newUuid().slice(0, 8), today })
  const requests = requestsOf(choice.build(leads))
  const last = requests.at(-1)
  if (!last) throw new Error('The test lead has no request.')
  const before = requests.slice(0, -1)
  return {
    before,
    headers: last.headers,
    body: indented(last.body),
    needsAll: before.length > 0 || !isPlain(last),
    reaches: choice.reaches,
  }
}

/** The path of the e-mail address, which identifies the customer. */
export const emailPath = 'customer.contact.email.address'

/** Returns the e-mail address of a request's customer. */
export const emailOf = ({ body }: Pick<TestRequest, 'body'>) => String(valueAt(parsedJson(body), emailPath.split('.')))

/**
 * Returns a draft like `draft` for the customer of `fresh`, a new draft of the same choice. Keeps edits, apart from the
 * e-mail address, which identifies the customer.
 */
export function forNextCustomer(draft: Draft, fresh: Draft): Draft {
  if (!draft.isEdited) return fresh
  const { headers, needsAll } = draft
  const scenario = scenarioOfEmail(emailOf(draft))
  const email = scenario ? scenarioAddress(scenario as ScenarioWord, newUuid().slice(0, 8)) : emailOf(fresh)
  return { ...fresh, headers, needsAll, body: writeField(draft.body, emailPath, email), isEdited: true }
}

/** Returns the draft with another body. */
export function edited(draft: Draft, body: string): Draft {
  return { ...draft, body, isEdited: true }
}

function labelOf(reached: Reached): string {
  if ('error' in reached) return `${reached.http} ${reached.error}`
  return reached.status === 'rejected' ? reached.rejection_reason : reached.status
}
