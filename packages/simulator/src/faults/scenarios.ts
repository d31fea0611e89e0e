import { type RejectionReason, validationError } from '@lead-distribution/contract'
import type { OperationName } from '@lead-distribution/contract/shapes'
import type { FindForcedOutcome, ForcedOutcome, LeadRecord, Storage } from '@lead-distribution/engine'
import type { BrokenResponse, Call, JsonResponse, Refusal } from '@lead-distribution/http'
import { readScenario, type ScenarioWord, scenarioOfEmail, scenarioWords } from '@lead-distribution/test-leads'
import { scenarioHeader } from '../paths.ts'
import type { SandboxTables } from '../storage/sandbox-storage.ts'
import { forcedError } from './inject-fault.ts'

/** The check of a trace that names a scenario. */
const check = 'scenario'

/**
 * Applies the scenario of a submission: the header's, else that of the e-mail address. A chain applies one scenario a
 * submission of one address; after its end it repeats its last one. An address that names no scenario is an ordinary
 * one. `dry` explains a submission and changes nothing.
 */
export function applyScenario(
  header: string | undefined,
  { dry }: { readonly dry: boolean },
): FindForcedOutcome<SandboxTables> {
  return async (lead, tables) => {
    const email = lead.customer.contact.email.address.toLowerCase()
    const text = header ?? scenarioOfEmail(email)
    const [first, ...rest] = (text !== undefined && readScenario(text)) || []
    if (first === undefined) return undefined
    if (rest.length === 0) return outcomeOf(first)
    const key = `${text} ${hashOf(email)}`
    const applied = await tables.readChain(key)
    if (!dry) await tables.setChain(key, applied + 1)
    return outcomeOf(rest[Math.min(applied, rest.length) - 1] ?? first)
  }
}

/** 16 hexadecimal digits, alike for equal texts: a chain is counted without the address, which is personal data. */
function hashOf(text: string): string {
  // FNV-1a from two starts.
  return [0x811c9dc5, 0x050c5d1f]
    .map(start => {
      let hash = start
      for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
      return (hash >>> 0).toString(16).padStart(8, '0')
    })
    .join('')
}

/** The status of a scenario that forces an error; undefined for any other. */
const errorStatusOf = (name: string) => (name === 'timeout' ? 504 : Number(/^http_(\d+)$/.exec(name)?.[1]) || undefined)

/** The scenarios whose response never arrives, and why not. */
const brokenScenarios: Readonly<Record<string, BrokenResponse>> = { timeout: 'withheld', lost_reply: 'cut' }

/** The outcome that a scenario forces; with `lost_reply` the rules decide. */
function outcomeOf(name: ScenarioWord): ForcedOutcome {
  if (name === 'lost_reply') return { check, name }
  const outcome = errorStatusOf(name) ? 'undecided' : (name as 'new' | 'distributed' | RejectionReason)
  return { check, name, outcome }
}

/** The response of a scenario that prevents any decision; `unauthorized` is that of a wrong key. */
export function scenarioResponse(name: string, unauthorized: JsonResponse): JsonResponse {
  return name === 'http_401' ? unauthorized : forcedError(errorStatusOf(name) ?? 500)
}

/** How a scenario breaks the response on its way; undefined where it does not. */
export function brokenByScenario(name = ''): BrokenResponse | undefined {
  return brokenScenarios[name]
}

/** The refusal of a header that holds no scenario; undefined where it holds one, or is not there. */
export function refuseScenario(header: string | undefined): Refusal | undefined {
  return header === undefined || readScenario(header) ? undefined : unknownScenario
}

const unknownScenario = validationError([
  { field: scenarioHeader, issue: `must be one of ${scenarioWords.join(', ')}, or a chain of them joined by dots` },
])

/** The scenario that a stored lead came in by: the one that its address names, else the one that was applied. */
export function scenarioOfLead({ trace, email }: LeadRecord): string | undefined {
  const applied = trace.find(step => step.check === check)?.input
  return scenarioOfEmail(email) ?? (typeof applied === 'string' ? applied : undefined)
}

/** The scenario that a call names, for the faults that match one: its own for a submission, that of the lead for a report. */
export async function scenarioOfCall(
  { operation, headers, params, input }: Call<OperationName>,
  storage: Storage<SandboxTables>,
): Promise<string | undefined> {
  if (operation === 'submitLead') return headers[scenarioHeader] ?? scenarioOfEmail(emailIn(input))
  const lead = await storage.transact(tables => tables.findLead((params.lead_id ?? '').toLowerCase()))
  return lead && scenarioOfLead(lead)
}

/** The address in a body of any shape; empty where there is none. */
function emailIn(body: unknown): string {
  const address = ['customer', 'contact', 'email', 'address'].reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    body,
  )
  return typeof address === 'string' ? address : ''
}
