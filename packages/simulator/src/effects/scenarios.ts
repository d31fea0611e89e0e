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

/** The name of the trace step that records a scenario. */
const check = 'scenario'

/**
 * Forces the outcome of a submission by its scenario, from the header or else the e-mail address. A chain advances by one
 * scenario with each submission of an address, then repeats its last. An address without a scenario is an ordinary one.
 * `dry` explains a submission without advancing the chain.
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

/** Finds a submission's scenario: the whole `text`, and the `word` to apply, which for a chain is the current one. */
async function scenarioOfSubmission(header: string | undefined, address: string, tables: Reading<SandboxTables>) {
  const email = address.toLowerCase()
  const text = header ?? scenarioOfEmail(email)
  const [word, ...rest] = (text !== undefined && readScenario(text)) || []
  if (word === undefined || rest.length === 0) return { text, word }
  const key = `${text} ${hashOf(email)}`
  const applied = await tables.readChain(key)
  return { text, word: rest[Math.min(applied, rest.length) - 1] ?? word, chain: { key, applied } }
}

/** Returns a hash of 16 hexadecimal digits. Stored in place of the address, which is personal data, to count a chain. */
function hashOf(text: string): string {
  // FNV-1a with two offset bases.
  return [0x811c9dc5, 0x050c5d1f]
    .map(start => {
      let hash = start
      for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
      return (hash >>> 0).toString(16).padStart(8, '0')
    })
    .join('')
}

/**
 * Returns the outcome that a scenario forces. Without one, the rules decide. An effect that replaces the call prevents
 * any decision.
 */
function outcomeOf(name: ScenarioWord): ForcedOutcome {
  const { outcome, effect } = scenarios[name]
  if (effect && readEffect(effect).request?.replace) return { check, name, outcome: 'undecided' }
  return outcome === undefined ? { check, name } : { check, name, outcome }
}

/** Returns the effect of a scenario on the submission that selects it; undefined if it has none. */
export function effectOfScenario(name: string | undefined): Effect | undefined {
  return name === undefined ? undefined : scenarios[name as ScenarioWord]?.effect
}

/** Returns the error for a header that is not a scenario. */
export function refuseScenario(header: string | undefined): Refusal | undefined {
  return header === undefined || readScenario(header) ? undefined : unknownScenario
}

const unknownScenario = validationError([
  {
    field: scenarioHeader,
    issue: `must be one of ${scenarioWords.join(', ')}, or a chain of them joined by dots, of at most ${maxChainLength} characters`,
  },
])

/**
 * Returns a stored lead's scenario: the applied one, else the word in its address, which may be one that only a fault
 * matches.
 */
export function scenarioOfLead({ trace, email }: LeadRecord): string | undefined {
  return appliedScenario(trace) ?? scenarioOfEmail(email)
}

/** Returns the scenario that a trace shows as applied; for a chain, the word applied to this submission. */
export function appliedScenario(trace: readonly TraceStep[]): string | undefined {
  const applied = trace.find(step => step.check === check)?.input
  return typeof applied === 'string' ? applied : undefined
}

/** Returns a call's scenario for matching faults: the submission's, or that of the lead reported on. */
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

/** Returns the e-mail address from a body of any shape; empty if there is none. */
function emailIn(body: unknown): string {
  const { address } = Object(Object(Object(Object(body).customer).contact).email)
  return typeof address === 'string' ? address : ''
}
