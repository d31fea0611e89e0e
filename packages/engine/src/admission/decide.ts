import type { LeadStatus, RejectionReason } from '@lead-distribution/contract'
import { acceptedOf, distribute } from '../distribution/distribute.ts'
import type { Delivery } from '../lead-record.ts'
import type { AdvertiserPanel } from '../ports/advertiser-panel.ts'
import type { Order } from '../ports/order.ts'
import { customerAlreadyExists } from '../rules/customer-already-exists.ts'
import { businessRules, rules, semanticRules } from '../rules/index.ts'
import type { Facts, Refusal, Rule } from '../rules/rule.ts'
import type { TraceStep } from '../trace.ts'
import { admit, passedPublisher, passedShape, skippedBehind, unjudged } from './admit.ts'

/** What becomes of a lead, and why. Nothing is changed yet. */
export type Decision = Refused | Created | Answered

/** What every decision tells. */
interface Told {
  readonly trace: TraceStep[]
  /** The word of the order that had a part in it. */
  readonly forced_by?: string | undefined
}

/** A rule refuses the lead, or an order in its place. */
export interface Refused extends Told {
  readonly status: 'rejected'
  readonly reason: RejectionReason
  readonly refusal: Refusal
  /** Only where the refusal keeps a lead. */
  readonly lead_id?: string
  /** Whether an order refused it: then it starts no duplicate window, and can be had again. */
  readonly forced?: true
  readonly deliveries: Delivery[]
}

/** No rule refuses the lead; whether an advertiser takes it makes it `distributed` or `new`. */
export interface Created extends Told {
  readonly status: Exclude<LeadStatus, 'rejected'>
  readonly lead_id: string
  /** Where the first advertiser that accepted wants the customer. */
  readonly redirect_url?: string
  readonly deliveries: Delivery[]
}

/** An order answers in place of a decision. */
export interface Answered extends Told {
  readonly status: 'answered'
  readonly answer: NonNullable<Order['answer']>
  readonly lead_id?: never
}

/** What deciding asks for on its way. */
export interface DecisionSources {
  readonly panel: AdvertiserPanel
  /** Called where a lead comes to be. */
  readonly newLeadId: () => string
  /** Called when the semantic checks have passed. */
  readonly order?: (() => Promise<Order | undefined>) | undefined
}

/** Decides on a lead: the rules, then the advertisers (Spec 3); or what was ordered in their place. */
export async function decide(facts: Facts, sources: DecisionSources): Promise<Decision> {
  const opening = [passedShape, passedPublisher]
  const semantic = admit(facts, semanticRules)
  if (semantic.refusedBy) return refuse(semantic.refusedBy, [...opening, ...semantic.trace], sources)
  const order = await sources.order?.()
  const forced_by = order?.word
  const forced: TraceStep[] = order ? [{ check: 'scenario', verdict: 'forced', input: order.word }] : []
  const before = [...opening, ...semantic.trace, ...forced]
  if (order?.answer) return { status: 'answered', answer: order.answer, forced_by, trace: [...before, ...behindOrder] }
  if (order?.outcome !== undefined) return obey(order.outcome, before, facts, sources, order.word)
  const business = admit(facts, businessRules)
  const trace = [...before, ...business.trace]
  if (business.refusedBy) return { ...refuse(business.refusedBy, trace, sources), ...(order && { forced_by }) }
  return { ...(await place(facts, sources, trace)), ...(order && { forced_by }) }
}

function refuse(
  { reason, refusal }: Pick<Rule, 'reason' | 'refusal'>,
  trace: TraceStep[],
  sources: DecisionSources,
): Refused {
  const kept = refusal === 'with_lead' ? { lead_id: sources.newLeadId() } : {}
  return { status: 'rejected', reason, refusal, ...kept, trace, deliveries: [] }
}

/** Does what was ordered. A forced reason is always the 200 rejection, as if a rule of the business refused. */
async function obey(
  outcome: NonNullable<Order['outcome']>,
  before: TraceStep[],
  facts: Facts,
  sources: DecisionSources,
  forced_by: string,
): Promise<Decision> {
  const trace = [...before, ...unjudged(businessRules)]
  const isLead = outcome === 'new' || outcome === 'distributed'
  // Before an id is drawn: a refusal that keeps no lead draws none.
  if (isLead && facts.customer?.lead_id !== undefined)
    return { ...refuse(customerAlreadyExists, [...trace, ...claimTaken], sources), forced_by }
  if (outcome === 'distributed') return { ...(await place(facts, sources, trace, true)), forced_by }
  if (outcome === 'new') {
    trace.push({ check: 'distribution', verdict: 'skipped' })
    return { status: 'new', lead_id: sources.newLeadId(), trace, deliveries: [], forced_by }
  }
  const rule = rules.find(({ reason }) => reason === outcome)
  const refusal = rule?.refusal === 'with_lead' ? 'with_lead' : 'without_lead'
  return { ...refuse({ reason: outcome, refusal }, [...before, ...behindOrder], sources), forced: true, forced_by }
}

/** All that an order stands in place of. */
const behindOrder = skippedBehind(semanticRules.at(-1))

/** The last steps where another lead has the address. */
const claimTaken: TraceStep[] = [
  { check: 'distribution', verdict: 'skipped' },
  { check: 'claim', verdict: 'rejected' },
]

/** Asks the advertisers. */
async function place(
  facts: Facts,
  { panel, newLeadId }: DecisionSources,
  trace: TraceStep[],
  forced?: true,
): Promise<Created> {
  const lead_id = newLeadId()
  const deliveries = await distribute(facts.account, panel, { lead_id, lead: facts.lead, ...(forced && { forced }) })
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

/** What each advertiser said, by its name; of several of one name by its id too. */
function answersByName(deliveries: readonly Delivery[]): Record<string, string> {
  const names = deliveries.map(({ name }) => name)
  const isAlone = (name: string) => names.indexOf(name) === names.lastIndexOf(name)
  return Object.fromEntries(
    deliveries.map(({ advertiser_id, name, decision, reasons }) => [
      isAlone(name) ? name : `${name} (${advertiser_id})`,
      [decision, ...reasons].join(': '),
    ]),
  )
}
