import type { RejectionReason } from '@lead-distribution/contract'
import { acceptedOf, distribute } from '../distribution/distribute.ts'
import type { Delivery } from '../lead-record.ts'
import type { AdvertiserPanel } from '../ports/advertiser-panel.ts'
import type { Facts, Refusal } from '../rules/rule.ts'
import type { TraceStep } from '../trace.ts'
import { admit } from './admit.ts'

/** What becomes of a lead, and why. Nothing is changed yet. */
export type Decision = Refused | Created

/** A rule refuses the lead. */
export interface Refused {
  readonly status: 'rejected'
  readonly reason: RejectionReason
  readonly refusal: Refusal
  /** Only where the refusal keeps a lead. */
  readonly lead_id?: string
  readonly trace: TraceStep[]
  readonly deliveries: Delivery[]
}

/** No rule refuses the lead; whether an advertiser takes it makes it `distributed` or `new`. */
export interface Created {
  readonly status: 'new' | 'distributed'
  readonly lead_id: string
  /** Where the first advertiser that accepted wants the customer. */
  readonly redirect_url?: string
  readonly trace: TraceStep[]
  readonly deliveries: Delivery[]
}

/** Decides on a lead: the rules, then the advertisers (Spec 3). `newLeadId` is called where a lead comes to be. */
export async function decide(facts: Facts, panel: AdvertiserPanel, newLeadId: () => string): Promise<Decision> {
  const { refusedBy, trace } = admit(facts)
  if (refusedBy) {
    const { reason, refusal } = refusedBy
    const kept = refusal === 'with_lead' ? { lead_id: newLeadId() } : {}
    return { status: 'rejected', reason, refusal, ...kept, trace, deliveries: [] }
  }
  const lead_id = newLeadId()
  const deliveries = await distribute(facts.account, panel, { lead_id, lead: facts.lead })
  const redirect_url = acceptedOf(deliveries)[0]?.redirect_url
  trace.push({
    check: 'distribution',
    verdict: 'passed',
    input: Object.fromEntries(
      deliveries.map(({ name, decision, reasons }) => [name, [decision, ...reasons].join(': ')]),
    ),
    ...(redirect_url === undefined ? { hint: 'No advertiser takes the lead, so it stays new.' } : {}),
  })
  return redirect_url === undefined
    ? { status: 'new', lead_id, trace, deliveries }
    : { status: 'distributed', lead_id, redirect_url, trace, deliveries }
}
