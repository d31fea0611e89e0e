import { validationError, wireError } from '@lead-distribution/contract'
import type { Lead } from '@lead-distribution/contract/shapes'
import type { Account } from '../account/account.ts'
import { isSameUuid } from '../account/same-uuid.ts'
import { passedShape, rejectedShape, skippedBehind } from '../admission/admit.ts'
import { type Decision, decide } from '../admission/decide.ts'
import type { LeadReader } from '../admission/read-lead.ts'
import { type Answer, refusal } from '../answer.ts'
import type { LeadRecord } from '../lead-record.ts'
import type { AdvertiserPanel } from '../ports/advertiser-panel.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Orders } from '../ports/order.ts'
import type { Storage, Tables } from '../ports/storage.ts'
import { customerAlreadyExists } from '../rules/customer-already-exists.ts'
import type { Facts } from '../rules/rule.ts'
import type { TraceStep } from '../trace.ts'
import type { PortabilityWarning } from '../warning.ts'
import { leadReply } from './lead-reply.ts'

/** What submitting needs of the world. */
export interface SubmitLeadPorts<T extends Tables = Tables> {
  readonly storage: Storage<T>
  readonly clock: Clock
  readonly ids: Ids
  readonly panel: AdvertiserPanel
  readonly readLead: LeadReader
  /** Outcomes that are ordered; none by default. */
  readonly orders?: Orders<T>
  /** Called in the transaction that keeps a lead. */
  readonly onLeadKept?: (lead: LeadRecord, tables: T) => Promise<void>
}

/** A submission as it came in; its key was checked before. */
export interface SubmitCall {
  readonly body: unknown
  /** What the caller asked for by a header. */
  readonly scenario?: string | undefined
}

/**
 * `POST /lead` (Spec 4.1): shape, publisher, rules, distribution, and in the same transaction the claim of the
 * customer and the lead itself. `account` is the key's own.
 */
export function submitLead<T extends Tables>(
  ports: SubmitLeadPorts<T>,
  account: Account,
  call: SubmitCall,
): Promise<Answer> {
  return judge(ports, account, call, false)
}

/** What `submitLead` would answer, with the nil UUID for a lead's id. Asks rules and advertisers, changes nothing. */
export function explainLead<T extends Tables>(
  ports: SubmitLeadPorts<T>,
  account: Account,
  call: SubmitCall,
): Promise<Answer> {
  return judge(ports, account, call, true)
}

async function judge<T extends Tables>(
  ports: SubmitLeadPorts<T>,
  account: Account,
  { body, scenario }: SubmitCall,
  dry: boolean,
): Promise<Answer> {
  const opened = open(ports, account, body)
  if (opened.refused) return opened.refused
  const { lead, warnings } = opened
  const { panel, ids, orders } = ports
  const newLeadId = () => (dry ? nilUuid : ids.lead())
  const decision = await ports.storage.transact(async tables => {
    const facts = await gatherFacts(ports, account, lead, tables)
    const order = orders && (() => orders(lead, tables, { scenario, dry }))
    const decided = await decide(facts, { panel, newLeadId, order })
    return dry ? decided : keep(ports, decided, facts, tables)
  })
  return leadReply(decision, account.settings, warnings)
}

const nilUuid = '00000000-0000-0000-0000-000000000000'

type Opened =
  | { readonly refused: Answer; readonly lead?: never }
  | { readonly refused?: never; readonly lead: Lead; readonly warnings: PortabilityWarning[] }

/** What comes before the rules: the shape of the body, and whether the publisher is the key's own. */
function open({ readLead }: Pick<SubmitLeadPorts, 'readLead'>, account: Account, body: unknown): Opened {
  const { lead, issues, warnings } = readLead(body, account.settings)
  if (!lead) {
    const trace: TraceStep[] = [rejectedShape(issues), { check: 'publisher', verdict: 'skipped' }, ...skippedBehind()]
    return { refused: refusal(validationError(issues), { trace, warnings }) }
  }
  const threshold = account.publisher.publisher_id
  if (isSameUuid(lead.publisher_id, threshold)) return { lead, warnings }
  const publisher: TraceStep = { check: 'publisher', verdict: 'rejected', input: lead.publisher_id, threshold }
  const trace: TraceStep[] = [passedShape, publisher, ...skippedBehind()]
  return { refused: refusal(publisherMismatch, { trace, warnings }) }
}

const publisherMismatch = wireError(
  'publisher_mismatch',
  'Send the publisher_id that was issued together with this API key.',
)

async function gatherFacts(
  { clock }: Pick<SubmitLeadPorts, 'clock'>,
  account: Account,
  lead: Lead,
  tables: Tables,
): Promise<Facts> {
  const product = account.products.find(candidate => isSameUuid(candidate.product_id, lead.product_id))
  const customer = product && (await tables.findCustomer(product.product_id, emailOf(lead)))
  return { lead, account, product, customer, now: clock.now() }
}

/** Writes a decision down. The claim comes last of all checks, so that a refusal leaves no claim (Spec 4.1 rule 2). */
async function keep<T extends Tables>(
  { onLeadKept }: Pick<SubmitLeadPorts<T>, 'onLeadKept'>,
  decision: Decision,
  facts: Facts,
  tables: T,
): Promise<Decision> {
  const { lead, product, now } = facts
  if (!product || decision.lead_id === undefined) return decision
  const { lead_id, status, trace, deliveries } = decision
  const email = emailOf(lead)
  if (decision.status === 'rejected') {
    if (!decision.forced) await tables.markRefused(product.product_id, email, now)
  } else if (await tables.claimCustomer(product.product_id, email, lead_id)) {
    trace.push({ check: 'claim', verdict: 'passed' })
  } else {
    const { reason, refusal } = customerAlreadyExists
    return {
      status: 'rejected',
      reason,
      refusal,
      trace: [...trace, { check: 'claim', verdict: 'rejected' }],
      forced_by: decision.forced_by,
      deliveries: [],
    }
  }
  const kept: LeadRecord = {
    lead_id,
    product_id: product.product_id,
    email,
    status,
    ...(decision.status === 'rejected' ? { rejection_reason: decision.reason } : {}),
    received_at: now,
    submission: lead,
    trace,
    deliveries,
  }
  await tables.addLead(kept)
  await onLeadKept?.(kept, tables)
  return decision
}

/** The customer's identity within a product: the address, letter case ignored. */
function emailOf(lead: Lead): string {
  return lead.customer.contact.email.address.toLowerCase()
}
