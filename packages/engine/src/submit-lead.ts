import {
  type Account,
  type ErrorCode,
  type FieldIssue,
  type Interpretation,
  type Product,
  proseInterpretation,
  rejections,
  type Settings,
} from '@lead-distribution/contract'
import { fieldIssues, type Lead, leadSubmission } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
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
import { rules } from './rules/index.ts'
import type { Facts, FieldValue } from './rules/rule.ts'

export interface SubmitPorts<T extends Tables = Tables> extends OperationPorts<T> {
  readonly network: AdvertiserNetwork
  readonly readLead: LeadReader
  /** Called in the transaction that stores a lead. */
  readonly onLeadStored?: (lead: LeadRecord, tables: T) => Promise<void>
}

/** A submission. Its publisher's key was checked before. */
export interface Submission<T extends Tables = Tables> {
  /** The parsed JSON body. */
  readonly body: unknown
  /** Forced outcomes. Default: none. */
  readonly findForcedOutcome?: FindForcedOutcome<T> | undefined
}

/** The result of a submission: a decision, or the reason why none was made. */
export type SubmitResult = (Decision | RefusedSubmission) & {
  readonly warnings: readonly PortabilityWarning[]
  /** The lead in the body, without unknown fields; undefined if the body is not a lead. */
  readonly lead?: Lead | undefined
}

/** The body is not a lead, or names a publisher other than the key's. */
export type RefusedSubmission = Refused<'publisher_mismatch'> & {
  readonly trace: TraceStep[]
  readonly lead_id?: never
  readonly forced_by?: never
}

/**
 * Submits a lead (Spec 4.1): shape, publisher, rules, distribution and, in the same transaction, the claim of the
 * customer and the lead itself. `account` is that of the key.
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

/** Returns the result that `submitLead` would return, with the nil UUID as the lead's id. Stores nothing. */
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

/**
 * Returns the result that a stored lead would get under an account, at the time when it was received and as if its
 * customer were new. Stores nothing.
 */
export async function decideAgain(
  { readLead, network }: Pick<SubmitPorts, 'readLead' | 'network'>,
  account: Account,
  { submission, received_at: now }: Pick<LeadRecord, 'submission' | 'received_at'>,
): Promise<SubmitResult> {
  const read = readSubmission({ readLead }, account, submission)
  if (!read.lead) return read
  const { lead, warnings } = read
  const product = productOf(lead, account)
  const facts = { lead, account, product, customer: undefined, now }
  return { ...(await decide(facts, { network, newLeadId: () => nilUuid })), warnings, lead }
}

/**
 * Returns the nearest value that passes the check that rejected a lead, under an account and at a time; undefined if no
 * change of one field is enough.
 */
export function passingValue(
  { lead, trace }: { readonly lead: Lead; readonly trace: readonly TraceStep[] },
  account: Account,
  now: number,
): FieldValue | undefined {
  const rejecting = trace.find(({ verdict }) => verdict === 'rejected')
  const rule = rules.find(({ check }) => check === rejecting?.check)
  const product = productOf(lead, account)
  return rule?.judge({ lead, account, product, customer: undefined, now }).nearest
}

/** Reads a submission, then decides on it and stores the decision in one transaction. */
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

/** Runs the checks before the rules: the shape of the body, and that the publisher is the key's own. */
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
  const product = productOf(lead, account)
  const customer = product && (await tables.findCustomer(product.product_id, emailOf(lead)))
  return { lead, account, product, customer, now: clock.now() }
}

function productOf({ product_id }: Lead, { products }: Account): Product | undefined {
  return products.find(product => product.product_id === product_id)
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

/** Returns the customer's identity within a product: the e-mail address, ignoring letter case. */
function emailOf(lead: Lead): string {
  return lead.customer.contact.email.address.toLowerCase()
}

/** Speeds up a shape without changing its results. The service's composition decides whether and how. */
export type CompileShape = <Shape extends z.ZodMiniType>(shape: Shape) => Shape

/**
 * Returns a shape with a generated fast path (2.7 times as fast when measured); where code generation is forbidden, the
 * shape unchanged. For servers only: a page must not even probe for code generation, because its content security
 * policy reports that, and has no use for a 29 KiB compiler.
 */
export const compileShape: CompileShape = shape => (z.util.allowsEval.value ? z.compile(shape) : shape)

/** A body with the shape of a lead, or its issues, and the difference under the other interpretation. */
export type ReadLead =
  | { readonly lead: Lead; readonly issues?: never; readonly warnings: PortabilityWarning[] }
  | { readonly lead?: never; readonly issues: FieldIssue[]; readonly warnings: PortabilityWarning[] }

/** Reads a submission under any interpretation. Holds the shapes, each compiled once. */
export type LeadReader = (body: unknown, interpretation: Interpretation) => ReadLead

/** Creates a reader. Points 1 and 2 of the open points determine the shape of a lead. */
export function createLeadReader(compile: CompileShape = shape => shape): LeadReader {
  type Shape = ReturnType<typeof leadSubmission>
  const shapes = new Map<string, Shape>()
  /** Cached by the account's settings object: looking the reader up by name takes a fiftieth of a request. */
  const known = new WeakMap<Interpretation, Shape>()
  const shapeOf = (interpretation: Interpretation): Shape => known.get(interpretation) ?? findShape(interpretation)
  function findShape(interpretation: Interpretation): Shape {
    const name = `${interpretation.gender} ${interpretation.consent_metadata}`
    const shape = shapes.get(name) ?? compile(leadSubmission(interpretation))
    shapes.set(name, shape)
    known.set(interpretation, shape)
    return shape
  }
  return (body, interpretation) => {
    const result = shapeOf(interpretation).safeParse(body)
    if (result.success) return { lead: result.data, warnings: refusedElsewhere(result.data, interpretation) }
    const issues = fieldIssues(result.error.issues, body)
    // Reads the body again only if nothing but these fields is invalid; otherwise a body is read once.
    const accepted = issues.every(isFormalOnly) && shapeOf(proseInterpretation).safeParse(body).success
    return { issues, warnings: accepted ? acceptedElsewhere(issues) : [] }
  }
}

/** The switches that make a field required, and the field. */
const fieldOf = { gender: 'customer.personal_data.gender', consent_metadata: 'consents.metadata' } as const
const switches = ['gender', 'consent_metadata'] as const

const isFormalOnly = ({ field }: FieldIssue) => switches.some(name => field === fieldOf[name])

function refusedElsewhere(lead: Lead, interpretation: Interpretation): PortabilityWarning[] {
  const missing = {
    gender: lead.customer.personal_data.gender === undefined,
    consent_metadata: lead.consents.metadata === undefined,
  }
  const warnings: PortabilityWarning[] = []
  for (const name of switches) {
    if (!missing[name]) continue
    const other = { interpretation: interpretation[name], other_interpretation: 'required' }
    warnings.push({ switch: name, ...other, would: 'validation_error' })
  }
  return warnings
}

function acceptedElsewhere(issues: readonly FieldIssue[]): PortabilityWarning[] {
  return switches
    .filter(name => issues.some(({ field }) => field === fieldOf[name]))
    .map(name => ({ switch: name, interpretation: 'required', other_interpretation: 'optional', would: 'accept' }))
}

/** A different result under another interpretation of an open point: a request that works here may not work there. */
export interface PortabilityWarning {
  readonly switch: keyof Settings
  readonly interpretation: string
  readonly other_interpretation: string
  /** The other interpretation: it accepts the input, or refuses it with an error code. */
  readonly would: 'accept' | ErrorCode
}
