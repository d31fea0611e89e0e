import type { LeadStatus, RejectionReason } from '@lead-distribution/contract'
import { type AdvertiserNetwork, acceptedOf, distribute } from '../distribution/distribute.ts'
import type { Delivery, TraceStep } from '../lead-record.ts'
import type { Facts, Refusal, Rule } from '../rules/rule.ts'

/** The result of judging a lead, and why. Nothing is stored yet. */
export type Decision = Rejected | Created | Undecided

interface Explained {
  /** Every check, in the order of judging. */
  readonly trace: TraceStep[]
  /** The name of the forced outcome that had a part in it. */
  readonly forced_by?: string | undefined
}

/** A rule refuses the lead, or a forced outcome does in its place. */
export interface Rejected extends Explained {
  readonly status: 'rejected'
  readonly reason: RejectionReason
  readonly refusal: Refusal
  /** Only where the refusal stores a lead. */
  readonly lead_id?: string
  /** Whether it was forced: then it starts no duplicate window, and can be had again. */
  readonly forced?: true
  readonly deliveries: Delivery[]
}

/** No rule refuses the lead; it is `distributed` if an advertiser takes it, else `new`. */
export interface Created extends Explained {
  readonly status: Exclude<LeadStatus, 'rejected'>
  readonly lead_id: string
  /** Where the first advertiser that accepted wants the customer. */
  readonly redirect_url?: string
  readonly deliveries: Delivery[]
}

/** A forced outcome prevented any decision. */
export interface Undecided extends Explained {
  readonly status: 'undecided'
  readonly forced_by: string
  readonly lead_id?: never
}

/** What a decision needs from outside. */
export interface DecisionPorts {
  readonly network: AdvertiserNetwork
  /** Called when a lead is created. */
  readonly newLeadId: () => string
}

/** The rejection by a rule. */
export function reject(
  { reason, refusal }: Pick<Rule, 'reason' | 'refusal'>,
  trace: TraceStep[],
  { newLeadId }: DecisionPorts,
): Rejected {
  return refusal === 'with_lead'
    ? { status: 'rejected', reason, refusal, lead_id: newLeadId(), trace, deliveries: [] }
    : { status: 'rejected', reason, refusal, trace, deliveries: [] }
}

/** Creates the lead and offers it to the advertisers; `trace` gets the step of the distribution. */
export async function offerLead(
  facts: Facts,
  { network, newLeadId }: DecisionPorts,
  trace: TraceStep[],
  forced?: true,
): Promise<Created> {
  const lead_id = newLeadId()
  const deliveries = await distribute(facts.account, network, { lead_id, lead: facts.lead, ...(forced && { forced }) })
  const redirect_url = acceptedOf(deliveries)[0]?.redirect_url
  trace.push({
    check: 'distribution',
    verdict: forced ? 'forced' : 'passed',
    input: answersByName(deliveries),
    ...(redirect_url === undefined ? { hint: 'No advertiser takes the lead, so it stays new.' } : {}),
  })
  return redirect_url === undefined
    ? { status: 'new', lead_id, trace, deliveries }
    : { status: 'distributed', lead_id, redirect_url, trace, deliveries }
}

/** The answer of each advertiser, by its name; of several of one name by its id too. */
function answersByName(deliveries: readonly Delivery[]): Record<string, string> {
  const names = deliveries.map(({ name }) => name)
  const isUnique = (name: string) => names.indexOf(name) === names.lastIndexOf(name)
  return Object.fromEntries(
    deliveries.map(({ advertiser_id, name, decision, reasons }) => [
      isUnique(name) ? name : `${name} (${advertiser_id})`,
      [decision, ...reasons].join(': '),
    ]),
  )
}
