import { type Account, type FieldIssue, rejections } from '@lead-distribution/contract'
import type { Lead } from '@lead-distribution/contract/shapes'
import {
  type AdvertiserNetwork,
  type Decision,
  decide,
  type FindForcedOutcome,
  passedShape,
  skippedAfter,
} from './decide.ts'
import type { LeadRecord, TraceStep } from './lead-record.ts'
import { type OperationPorts, type Refused, refusedFields, type Tables } from './ports.ts'
import type { LeadReader, PortabilityWarning } from './read-lead.ts'
import type { Facts } from './rules/rule.ts'

export interface SubmitPorts<T extends Tables = Tables> extends OperationPorts<T> {
  readonly network: AdvertiserNetwork
  readonly readLead: LeadReader
  /** Called in the transaction that stores a lead. */
  readonly onLeadStored?: (lead: LeadRecord, tables: T) => Promise<void>
}

/** A submission; its publisher's key was checked before. */
export interface Submission<T extends Tables = Tables> {
  /** The body, parsed from JSON. */
  readonly body: unknown
  /** Forced outcomes; none by default. */
  readonly findForcedOutcome?: FindForcedOutcome<T> | undefined
}

/** The result of a submission: a decision, or why none was made. */
export type SubmitResult = (Decision | RefusedSubmission) & {
  readonly warnings: readonly PortabilityWarning[]
  /** The lead in the body, without unknown fields; undefined if the body is not a lead. */
  readonly lead?: Lead | undefined
}

/** The body is not a lead, or names another publisher than the key's. */
export type RefusedSubmission = Refused<'publisher_mismatch'> & {
  readonly trace: TraceStep[]
  readonly lead_id?: never
  readonly forced_by?: never
}

/**
 * Submits a lead (Spec 4.1): shape, publisher, rules, distribution, and in the same transaction the claim of the
 * customer and the lead itself. `account` is the key's own.
 */
export function submitLead<T extends Tables>(
  ports: SubmitPorts<T>,
  account: Account,
  submission: Submission<T>,
): Promise<SubmitResult> {
  return decideOn(ports, account, submission, ports.ids.lead, (decision, facts, tables) =>
    store(ports, decision, facts, tables),
  )
}

/** Returns the result that `submitLead` would return, with the nil UUID for a lead's id. Stores nothing. */
export function explainLead<T extends Tables>(
  ports: SubmitPorts<T>,
  account: Account,
  submission: Submission<T>,
): Promise<SubmitResult> {
  return decideOn(
    ports,
    account,
    submission,
    () => nilUuid,
    async decision => decision,
  )
}

/** Reads a submission, then decides on it and finishes in one transaction. */
async function decideOn<T extends Tables>(
  ports: SubmitPorts<T>,
  account: Account,
  { body, findForcedOutcome }: Submission<T>,
  newLeadId: () => string | Promise<string>,
  finish: (decision: Decision, facts: Facts, tables: T) => Promise<Decision>,
): Promise<SubmitResult> {
  const read = readSubmission(ports, account, body)
  if (!read.lead) return read
  const { lead, warnings } = read
  const decisionPorts = { network: ports.network, newLeadId }
  const decision = await ports.storage.transact(async tables => {
    const facts = await gatherFacts(ports, account, lead, tables)
    const forced = findForcedOutcome && (() => findForcedOutcome(lead, tables))
    return finish(await decide(facts, decisionPorts, forced), facts, tables)
  })
  return { ...decision, warnings, lead }
}

function rejectedShape(issues: readonly FieldIssue[]): TraceStep {
  const hint = issues.map(({ field, issue }) => `${field} ${issue}`).join('; ')
  return { check: 'shape', verdict: 'rejected', input: issues.map(({ field }) => field), hint }
}

const nilUuid = '00000000-0000-0000-0000-000000000000'

type ReadSubmission =
  | (RefusedSubmission & { readonly lead?: never; readonly warnings: PortabilityWarning[] })
  | { readonly lead: Lead; readonly warnings: PortabilityWarning[] }

/** Does the checks before the rules: the shape of the body, and whether the publisher is the key's own. */
function readSubmission({ readLead }: Pick<SubmitPorts, 'readLead'>, account: Account, body: unknown): ReadSubmission {
  const { lead, issues, warnings } = readLead(body, account.settings)
  if (!lead) {
    const trace: TraceStep[] = [rejectedShape(issues), { check: 'publisher', verdict: 'skipped' }, ...skippedAfter()]
    return { ...refusedFields(issues), trace, warnings }
  }
  const threshold = account.publisher.publisher_id
  if (lead.publisher_id === threshold) return { lead, warnings }
  const publisher: TraceStep = { check: 'publisher', verdict: 'rejected', input: lead.publisher_id, threshold }
  return {
    status: 'refused',
    error: 'publisher_mismatch',
    trace: [passedShape, publisher, ...skippedAfter()],
    warnings,
  }
}

async function gatherFacts(
  { clock }: Pick<SubmitPorts, 'clock'>,
  account: Account,
  lead: Lead,
  tables: Tables,
): Promise<Facts> {
  const product = account.products.find(candidate => candidate.product_id === lead.product_id)
  const customer = product && (await tables.findCustomer(product.product_id, emailOf(lead)))
  return { lead, account, product, customer, now: clock.now() }
}

/** Stores the decision. The claim is the last check, so that a rejection leaves no claim (Spec 4.1 rule 2). */
async function store<T extends Tables>(
  { onLeadStored }: Pick<SubmitPorts<T>, 'onLeadStored'>,
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
    const { reason, kind } = rejections.customerAlreadyExists
    trace.push({ check: 'claim', verdict: 'rejected' })
    return { status: 'rejected', reason, kind, trace, forced_by: decision.forced_by, deliveries: [] }
  }
  const record: LeadRecord = {
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
  await tables.addLead(record)
  await onLeadStored?.(record, tables)
  return decision
}

/** The customer's identity within a product: the address, letter case ignored. */
function emailOf(lead: Lead): string {
  return lead.customer.contact.email.address.toLowerCase()
}
