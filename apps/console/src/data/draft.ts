import type { Account } from '@lead-distribution/control-client'
import {
  createTestLeads,
  type Reached,
  requestsOf,
  type ScenarioWord,
  scenarioWords,
  type TestLead,
  type TestLeadEntry,
  type TestRequest,
  testLeadCatalogue,
} from '@lead-distribution/test-leads'
import { newUuid } from './new-uuid.ts'

/** What can be chosen to begin a submission with: an entry of the catalogue, or a forced outcome. */
export type Choice =
  | { readonly id: string; readonly label: string; readonly entry: TestLeadEntry }
  | { readonly id: string; readonly label: string; readonly scenario: ScenarioWord }

/** Every choice: first what real data reaches, then what a sandbox forces. */
export const choices: readonly Choice[] = [
  ...testLeadCatalogue.map(entry => ({
    id: `${entry.name}-${labelOf(entry.reaches)}`,
    label: labelOf(entry.reaches),
    entry,
  })),
  ...scenarioWords.map(scenario => ({ id: `scenario-${scenario}`, label: scenario, scenario })),
]

/** A submission that is being written. */
export interface Draft {
  /** Sent before, because the outcome belongs to the second submission of one customer. */
  readonly before: readonly TestRequest[]
  readonly headers: TestRequest['headers']
  /** The body as it is shown and sent. */
  readonly body: string
  /** True if a dry run of the body cannot tell the outcome, because an earlier request or a header decides too. */
  readonly needsAll: boolean
  /** The outcome that it was built for; undefined once its body was edited. */
  readonly reaches?: Reached | undefined
}

/**
 * Begins a submission. `today` is the time of the tenant.
 * @throws Error where the account's criteria cannot give the outcome; it names what to change in them.
 */
export function draftOf(choice: Choice, account: Account, today: Date): Draft {
  const leads = createTestLeads(account, { tag: newUuid().slice(0, 8), today })
  const testLead: TestLead = 'scenario' in choice ? leads.scenario(choice.scenario) : leads[choice.entry.name]()
  const requests = requestsOf(testLead)
  const last = requests.at(-1)
  if (!last) throw new Error('The test lead has no request.')
  const before = requests.slice(0, -1)
  const isPlain = Object.keys(last.headers).length === 1 && last.headers['content-type'] === 'application/json'
  return {
    before,
    headers: last.headers,
    body: indented(last.body),
    needsAll: before.length > 0 || !isPlain || parsedJson(last.body) === undefined,
    reaches: 'entry' in choice ? choice.entry.reaches : undefined,
  }
}

/** The value of a field of a JSON text; undefined where it is not there or the text is no JSON. */
export function readField(body: string, path: string): unknown {
  let value: unknown = parsedJson(body)
  for (const name of path.split('.')) value = Object(value)[name]
  return value
}

/** The text with one field changed; the same text where it is no JSON object. An absent object on the way is added. */
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

/** The value of a JSON text; undefined where it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** JSON with indents; what is no JSON, or is padded to a size, stays as it is. */
function indented(body: string): string {
  const value = parsedJson(body)
  return value === undefined || body.endsWith(' ') ? body : JSON.stringify(value, null, 2)
}

function labelOf(reached: Reached): string {
  if ('error' in reached) return `${reached.http} ${reached.error}`
  return reached.status === 'rejected' ? reached.rejection_reason : reached.status
}
