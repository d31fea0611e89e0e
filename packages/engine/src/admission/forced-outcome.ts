import type { RejectionReason } from '@lead-distribution/contract'
import type { Lead } from '@lead-distribution/contract/shapes'
import { customerAlreadyExists } from '../rules/customer-already-exists.ts'
import { businessRules, rules, semanticRules } from '../rules/index.ts'
import type { Facts } from '../rules/rule.ts'
import type { Tables } from '../storage.ts'
import { skippedAfter, unjudged } from './admit.ts'
import { type Decision, type DecisionPorts, offerLead, reject } from './decision.ts'

/** An outcome that is forced whatever the rules decide: for tests, where a real service has no such thing. */
export interface ForcedOutcome {
  /** What forces it, as the trace names it. */
  readonly check: string
  /** The name of the outcome; the trace shows it. */
  readonly name: string
  /** With `undecided` no decision is made and nothing is stored; without an outcome the rules decide. */
  readonly outcome?: 'new' | 'distributed' | RejectionReason | 'undecided'
}

/**
 * Finds the forced outcome of a submission. Called once key, shape and semantic checks have passed, in the transaction
 * of the submission.
 */
export type FindForcedOutcome<T extends Tables = Tables> = (lead: Lead, tables: T) => Promise<ForcedOutcome | undefined>

/** The decision that is forced. A forced reason is always a business rejection. */
export async function forceOutcome(
  { name, outcome }: ForcedOutcome & { readonly outcome: string },
  facts: Facts,
  ports: DecisionPorts,
  before: Decision['trace'],
): Promise<Decision> {
  const forced_by = name
  if (outcome === 'undecided') return { status: 'undecided', trace: [...before, ...allSkipped], forced_by }
  if (outcome !== 'new' && outcome !== 'distributed') {
    const withLead = rules.some(({ reason, refusal }) => reason === outcome && refusal === 'with_lead')
    const rule = { reason: outcome, refusal: withLead ? 'with_lead' : 'without_lead' } as const
    return { ...reject(rule, [...before, ...allSkipped], ports), forced: true, forced_by }
  }
  const trace = [...before, ...unjudged(businessRules)]
  // Before an id is drawn: a refusal that stores no lead draws none.
  if (facts.customer?.lead_id !== undefined)
    return { ...reject(customerAlreadyExists, [...trace, ...claimTaken], ports), forced_by }
  if (outcome === 'distributed') return { ...(await offerLead(facts, ports, trace, true)), forced_by }
  trace.push({ check: 'distribution', verdict: 'skipped' })
  return { status: 'new', lead_id: ports.newLeadId(), trace, deliveries: [], forced_by }
}

/** Every check that a forced outcome replaces. */
const allSkipped = skippedAfter(semanticRules.at(-1))

/** The last steps where another lead has the address. */
const claimTaken: Decision['trace'] = [
  { check: 'distribution', verdict: 'skipped' },
  { check: 'claim', verdict: 'rejected' },
]
