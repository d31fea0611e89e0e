import type { TraceStep } from '../lead-record.ts'
import { businessRules, semanticRules } from '../rules/index.ts'
import type { Facts } from '../rules/rule.ts'
import { admit, passedPublisher, passedShape } from './admit.ts'
import { type Decision, type DecisionPorts, offerLead, reject } from './decision.ts'
import { type ForcedOutcome, forceOutcome } from './forced-outcome.ts'

/**
 * Decides on a lead: the rules in their order, then the advertisers (Spec 3); or a forced outcome, which is asked for
 * once the semantic rules have passed.
 */
export async function decide(
  facts: Facts,
  ports: DecisionPorts,
  findForcedOutcome?: () => Promise<ForcedOutcome | undefined>,
): Promise<Decision> {
  const trace: TraceStep[] = [passedShape, passedPublisher]
  const semantic = admit(facts, semanticRules)
  trace.push(...semantic.trace)
  if (semantic.refusedBy) return reject(semantic.refusedBy, trace, ports)
  const forced = await findForcedOutcome?.()
  if (!forced) return decideByRules(facts, ports, trace)
  const { check, name, outcome } = forced
  trace.push({ check, verdict: 'forced', input: name })
  return outcome === undefined
    ? { ...(await decideByRules(facts, ports, trace)), forced_by: name }
    : forceOutcome({ check, name, outcome }, facts, ports, trace)
}

/** The business rules, then the advertisers. */
async function decideByRules(facts: Facts, ports: DecisionPorts, trace: TraceStep[]): Promise<Decision> {
  const business = admit(facts, businessRules)
  trace.push(...business.trace)
  return business.refusedBy ? reject(business.refusedBy, trace, ports) : offerLead(facts, ports, trace)
}
