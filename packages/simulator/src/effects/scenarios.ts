import { validationError } from '@lead-distribution/contract'
import type { OperationName } from '@lead-distribution/contract/shapes'
import {
  maxChainLength,
  readScenario,
  type ScenarioWord,
  scenarioOfEmail,
  scenarios,
  scenarioWords,
} from '@lead-distribution/contract/test-leads'
import type {
  FindForcedOutcome,
  ForcedOutcome,
  LeadRecord,
  Reading,
  Storage,
  TraceStep,
} from '@lead-distribution/engine'
import type { Call, Refusal } from '@lead-distribution/http'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import { type Effect, scenarioHeader } from './effects.ts'
import { readEffect } from './inject-effect.ts'

/** The check of a trace that names a scenario. */
const check = 'scenario'

/**
 * Forces the outcome of a submission by its scenario: the header's, else that of the e-mail address. A chain applies one
 * scenario a submission of one address; after its end it repeats its last one. An address that names no scenario is an
 * ordinary one. `dry` explains a submission and changes nothing.
 */
export function forceOutcome(
  header: string | undefined,
  { dry }: { readonly dry: boolean },
): FindForcedOutcome<SandboxTables> {
  return async (lead, tables) => {
    const { word, chain } = await scenarioOfSubmission(header, lead.customer.contact.email.address, tables)
    if (chain && !dry) await tables.setChain(chain.key, chain.applied + 1)
    return word && outcomeOf(word)
  }
}

/** Finds the scenario that a submission names, its `text`; and its `word`: of a chain, the one whose turn it is. */
async function scenarioOfSubmission(header: string | undefined, address: string, tables: Reading<SandboxTables>) {
  const email = address.toLowerCase()
  const text = header ?? scenarioOfEmail(email)
  const [word, ...rest] = (text !== undefined && readScenario(text)) || []
  if (word === undefined || rest.length === 0) return { text, word }
  const key = `${text} ${hashOf(email)}`
  const applied = await tables.readChain(key)
  return { text, word: rest[Math.min(applied, rest.length) - 1] ?? word, chain: { key, applied } }
}

/** 16 hexadecimal digits, the same for equal texts: a chain is counted without the address, which is personal data. */
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

/** Returns the outcome that a scenario forces; without one, the rules decide. An effect that replaces the call prevents it. */
function outcomeOf(name: ScenarioWord): ForcedOutcome {
  const { outcome, effect } = scenarios[name]
  if (effect && readEffect(effect).call?.replace) return { check, name, outcome: 'undecided' }
  return outcome === undefined ? { check, name } : { check, name, outcome }
}

/** Returns the effect of a scenario on the submission that selects it; undefined if it has none. */
export function effectOfScenario(name: string | undefined): Effect | undefined {
  return name === undefined ? undefined : scenarios[name as ScenarioWord]?.effect
}

/** The refusal of a header that names no scenario; undefined if it names one, or is absent. */
export function refuseScenario(header: string | undefined): Refusal | undefined {
  return header === undefined || readScenario(header) ? undefined : unknownScenario
}

const unknownScenario = validationError([
  {
    field: scenarioHeader,
    issue: `must be one of ${scenarioWords.join(', ')}, or a chain of them joined by dots, of at most ${maxChainLength} characters`,
  },
])

/** The scenario of a stored lead: the one that was applied, else the name in its address, which only faults know. */
export function scenarioOfLead({ trace, email }: LeadRecord): string | undefined {
  return appliedScenario(trace) ?? scenarioOfEmail(email)
}

/** The scenario that a trace shows as applied: of a chain, the one of its words whose turn it was. */
export function appliedScenario(trace: readonly TraceStep[]): string | undefined {
  const applied = trace.find(step => step.check === check)?.input
  return typeof applied === 'string' ? applied : undefined
}

/** The scenario of a call, for the faults that match one: that of the submission, or of the lead that was reported on. */
export async function scenarioOfCall(
  { operation, headers, params, input }: Pick<Call<OperationName>, 'operation' | 'headers' | 'params' | 'input'>,
  storage: Storage<SandboxTables>,
): Promise<string | undefined> {
  return storage.read(async tables => {
    if (operation === 'submitLead') {
      const { text, word = text } = await scenarioOfSubmission(headers[scenarioHeader], emailIn(input), tables)
      return word
    }
    const lead = await tables.findLead(params.lead_id ?? '')
    return lead && scenarioOfLead(lead)
  })
}

/** The address in a body of any shape; empty if there is none. */
function emailIn(body: unknown): string {
  const { address } = Object(Object(Object(Object(body).customer).contact).email)
  return typeof address === 'string' ? address : ''
}
