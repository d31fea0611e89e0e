import {
  type Account,
  type Advertiser,
  type LeadStatus,
  type RejectionKind,
  type RejectionReason,
  rejections,
} from '@lead-distribution/contract'
import type { Lead } from '@lead-distribution/contract/shapes'
import { acceptedOf, type OfferResponse, type TraceStep } from './lead-record.ts'
import type { Tables } from './ports.ts'
import { businessRules, rules, semanticRules } from './rules/index.ts'
import type { Facts, Rule } from './rules/rule.ts'

/** The decision on a lead, with its trace. Nothing is stored yet. */
export type Decision = Rejected | Created | Undecided

interface Explained {
  /** Every check, in order. */
  readonly trace: TraceStep[]
  /** The name of the forced outcome that applied. */
  readonly forced_by?: string | undefined
}

/** Rejected, by a rule or by a forced outcome instead. */
export interface Rejected extends Explained {
  readonly status: 'rejected'
  readonly reason: RejectionReason
  readonly kind: RejectionKind
  /** Set only if the rejection stores a lead. */
  readonly lead_id?: string
  /** True if forced. A forced rejection starts no duplicate window, so the same lead can be rejected again. */
  readonly forced?: true
  readonly deliveries: OfferResponse[]
}

/** Rejected by no rule: `distributed` if an advertiser accepts the lead, otherwise `new`. */
export interface Created extends Explained {
  readonly status: Exclude<LeadStatus, 'rejected'>
  readonly lead_id: string
  /** The redirect URL of the first advertiser that accepted. */
  readonly redirect_url?: string
  readonly deliveries: OfferResponse[]
}

/** A forced outcome prevented any decision. */
export interface Undecided extends Explained {
  readonly status: 'undecided'
  readonly forced_by: string
  readonly lead_id?: never
}

export interface DecisionPorts {
  readonly network: AdvertiserNetwork
  /** Called when a lead is created. */
  readonly newLeadId: () => string | Promise<string>
}

/** The advertisers that leads are offered to. The only network is simulated: no code here sends a lead anywhere. */
export interface AdvertiserNetwork {
  offer(advertiser: Advertiser, offer: Offer): Promise<OfferReply>
}

/** A lead as offered to an advertiser. */
export interface Offer {
  lead_id: string
  lead: Lead
  /** True if a forced outcome makes the advertiser accept, whatever its criteria. */
  forced?: true
}

export type OfferReply = { decision: 'accepted'; redirect_url: string } | { decision: 'declined'; reasons: string[] }

/** An outcome that applies regardless of the rules. For tests: a real service has none. */
export interface ForcedOutcome {
  /** The name of the forcing check in the trace. */
  readonly check: string
  /** The name of the outcome, shown in the trace. */
  readonly name: string
  /** `undecided` makes no decision and stores nothing; without an outcome, the rules decide. */
  readonly outcome?: 'new' | 'distributed' | RejectionReason | 'undecided'
}

/** Finds the forced outcome of a submission, in its transaction and after key, shape and semantic checks. */
export type FindForcedOutcome<T extends Tables = Tables> = (lead: Lead, tables: T) => Promise<ForcedOutcome | undefined>

/**
 * Decides on a lead (Spec 3): semantic rules first, then the forced outcome if there is one, otherwise all other rules.
 */
export async function decide(
  facts: Facts,
  ports: DecisionPorts,
  findForcedOutcome?: () => Promise<ForcedOutcome | undefined>,
): Promise<Decision> {
  const trace: TraceStep[] = [passedShape, { check: 'publisher', verdict: 'passed' }]
  const semantic = admit(facts, semanticRules)
  trace.push(...semantic.trace)
  if (semantic.rejectedBy) return reject(semantic.rejectedBy, trace, ports)
  const forced = await findForcedOutcome?.()
  if (!forced) return decideByRules(facts, ports, trace)
  const { check, name, outcome } = forced
  trace.push({ check, verdict: 'forced', input: name })
  const decision = await (outcome === undefined
    ? decideByRules(facts, ports, trace)
    : forceOutcome(outcome, facts, ports, trace))
  return { ...decision, forced_by: name }
}

/** Applies the business rules, then offers the lead to the advertisers. */
async function decideByRules(facts: Facts, ports: DecisionPorts, trace: TraceStep[]): Promise<Decision> {
  const business = admit(facts, businessRules)
  trace.push(...business.trace)
  return business.rejectedBy ? reject(business.rejectedBy, trace, ports) : offerLead(facts, ports, trace)
}

/** Applies a forced outcome. A forced reason is always a business rejection. */
async function forceOutcome(
  outcome: NonNullable<ForcedOutcome['outcome']>,
  facts: Facts,
  ports: DecisionPorts,
  trace: TraceStep[],
): Promise<Created | Rejected | Omit<Undecided, 'forced_by'>> {
  if (outcome !== 'new' && outcome !== 'distributed') {
    trace.push(...skippedAfter(semanticRules.at(-1)))
    if (outcome === 'undecided') return { status: 'undecided', trace }
    const withLead = rules.some(({ reason, kind }) => reason === outcome && kind === 'with_lead')
    return {
      ...(await reject({ reason: outcome, kind: withLead ? 'with_lead' : 'without_lead' }, trace, ports)),
      forced: true,
    }
  }
  trace.push(...businessRules.map(({ check }) => skipped(check)))
  // Checked before drawing an id: a rejection that stores no lead draws none.
  if (facts.customer?.lead_id !== undefined) {
    trace.push(skipped('distribution'), { check: 'claim', verdict: 'rejected' })
    return reject(rejections.customerAlreadyExists, trace, ports)
  }
  if (outcome === 'distributed') return offerLead(facts, ports, trace, true)
  trace.push(skipped('distribution'))
  return { status: 'new', lead_id: await ports.newLeadId(), trace, deliveries: [] }
}

/** Rejects the lead with a reason. */
async function reject(
  { reason, kind }: Pick<Rule, 'reason' | 'kind'>,
  trace: TraceStep[],
  { newLeadId }: DecisionPorts,
): Promise<Rejected> {
  return kind === 'with_lead'
    ? { status: 'rejected', reason, kind, lead_id: await newLeadId(), trace, deliveries: [] }
    : { status: 'rejected', reason, kind, trace, deliveries: [] }
}

/** Creates the lead and offers it to the advertisers; adds the distribution to the trace. */
async function offerLead(
  facts: Facts,
  { network, newLeadId }: DecisionPorts,
  trace: TraceStep[],
  forced?: true,
): Promise<Created> {
  const lead_id = await newLeadId()
  const deliveries = await distribute(facts.account, network, { lead_id, lead: facts.lead, ...(forced && { forced }) })
  const redirect_url = acceptedOf(deliveries)[0]?.redirect_url
  const step: TraceStep = {
    check: 'distribution',
    verdict: forced ? 'forced' : 'passed',
    input: repliesByName(deliveries),
  }
  trace.push(step)
  if (redirect_url !== undefined) return { status: 'distributed', lead_id, redirect_url, trace, deliveries }
  step.hint = 'No advertiser accepts the lead, so it stays new.'
  return { status: 'new', lead_id, trace, deliveries }
}

/** Offers a lead in order of priority, to the first advertiser that accepts or to all (Spec 1, 3; open point 13). */
async function distribute(account: Account, network: AdvertiserNetwork, offer: Offer): Promise<OfferResponse[]> {
  const deliveries: OfferResponse[] = []
  for (const advertiser of account.advertisers.toSorted((a, b) => a.priority - b.priority)) {
    const reply = await network.offer(advertiser, offer)
    const { advertiser_id, name } = advertiser
    if (reply.decision === 'declined') {
      deliveries.push({ advertiser_id, name, decision: 'declined', reasons: reply.reasons })
      continue
    }
    deliveries.push({ advertiser_id, name, decision: 'accepted', reasons: [], redirect_url: reply.redirect_url })
    if (account.settings.distribution === 'first_accept') break
  }
  return deliveries
}

/** The decision of each advertiser, by name. Advertisers with the same name are distinguished by id. */
function repliesByName(deliveries: readonly OfferResponse[]): Record<string, string> {
  const names = deliveries.map(({ name }) => name)
  const isUnique = (name: string) => names.indexOf(name) === names.lastIndexOf(name)
  return Object.fromEntries(
    deliveries.map(({ advertiser_id, name, decision, reasons }) => [
      isUnique(name) ? name : `${name} (${advertiser_id})`,
      [decision, ...reasons].join(': '),
    ]),
  )
}

/** The verdicts of the rules on a lead. */
export interface Admission {
  /** The rule that rejects, if any. */
  readonly rejectedBy?: Rule
  /** Every rule with its verdict; all checks after a rejection are skipped. */
  readonly trace: TraceStep[]
}

/** Judges a lead by some of the rules, in order. Changes nothing. */
export function admit(facts: Facts, by: readonly Rule[] = rules): Admission {
  const trace: TraceStep[] = []
  for (const rule of by) {
    const { passes, input, threshold, hint } = rule.judge(facts)
    const step: TraceStep = { check: rule.check, verdict: passes ? 'passed' : 'rejected' }
    if (input !== undefined) step.input = input
    if (threshold !== undefined) step.threshold = threshold
    trace.push(step)
    if (passes) continue
    if (hint !== undefined) step.hint = hint
    return { rejectedBy: rule, trace: [...trace, ...skippedAfter(rule)] }
  }
  return { trace }
}

/** The trace step of a body with the shape of a lead. */
export const passedShape: TraceStep = { check: 'shape', verdict: 'passed' }

/** The skipped steps: those after the rule that rejects or, without a rule, all steps after the shape check. */
export function skippedAfter(rule?: Rule): TraceStep[] {
  const after = rules.slice(rule ? rules.indexOf(rule) + 1 : 0).map(({ check }) => check)
  return [...after, 'distribution', 'claim'].map(skipped)
}

function skipped(check: string): TraceStep {
  return { check, verdict: 'skipped' }
}
