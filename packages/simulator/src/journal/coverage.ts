import {
  convertedStatus,
  type ErrorCode,
  errorStatus,
  isLeadStatus,
  leadStatuses,
  type PixelEvent,
  pixelEvents,
  rejectionReasons,
} from '@lead-distribution/contract'
import type { Origin, ToolOrigin } from '../origin.ts'
import type { RequestEntry } from '../storage/records.ts'

/** The kinds of coverage items; `outcome` is the status of a lead in the response to its submission. */
export const coverageKinds = ['outcome', 'reason', 'error', 'event', 'callback'] as const
/** A kind of coverage item. */
export type CoverageKind = (typeof coverageKinds)[number]

/** The outcomes of a callback: delivered, failed after its last attempt, or retried after a failure. */
export const callbackOutcomes = ['delivered', 'failed', 'retried'] as const
/** The outcome of a callback. */
export type CallbackOutcome = (typeof callbackOutcomes)[number]

/** One item that a tenant can cover. */
export interface CoverageItem {
  readonly kind: CoverageKind
  /** Its name on the wire; an event by its canonical name. */
  readonly name: string
  /** How to cover it, in one sentence. */
  readonly how: string
}

const byEmail = (scenario: string) => `Submit a lead with the e-mail address ${scenario}+x@sandbox.test.`

const errorHow: Readonly<Record<ErrorCode, string>> = {
  validation_error: 'Submit a lead with product_data.loan_amount 499, one euro below its bound.',
  malformed_json: 'Send POST /lead with a body that is not JSON, such as {.',
  unauthorized: "Send POST /lead with the key of one of the tenant's advertisers.",
  not_found: 'Report the status of a lead_id that does not exist by POST /lead/{lead_id}/status.',
  method_not_allowed: 'Set status_methods to ["POST"], and report the status of a lead by PATCH.',
  payload_too_large: 'Send POST /lead with a body of more than 262144 bytes.',
  unsupported_media_type: 'Send POST /lead with the header content-type: text/plain.',
  consents_missing:
    'Submit a lead whose consent terms has accepted false and accepted_at null, while semantic_refusals is http_422.',
  invalid_product: 'Submit a lead whose product_id is not in the account, while semantic_refusals is http_422.',
  publisher_mismatch: "Submit a lead whose publisher_id is not the account's.",
  internal_error: byEmail('http_500'),
}

const eventHow = (event: PixelEvent) =>
  `Open the redirect_url of a distributed lead and press ${event}, or run: trigger ${event} --lead ID.`

const callbackHow: Readonly<Record<CallbackOutcome, string>> = {
  delivered: 'Report any event of a distributed lead while its receiver responds 2xx.',
  failed: 'Set callback_retries to [] and drop one callback by a fault, then report any event of a distributed lead.',
  retried: 'Drop one callback by a fault, report any event of a distributed lead, and advance the clock by PT5S.',
}

function items<Name extends string>(
  kind: CoverageKind,
  names: readonly Name[],
  how: (name: Name) => string,
): CoverageItem[] {
  return names.map(name => ({ kind, name, how: how(name) }))
}

/** All coverage items, in the order of the specification. */
export const coverageItems: readonly CoverageItem[] = [
  ...items('outcome', leadStatuses, name => byEmail(name === 'rejected' ? 'age_restriction' : name)),
  ...items('reason', rejectionReasons, byEmail),
  ...items('error', Object.keys(errorStatus) as ErrorCode[], name => errorHow[name]),
  ...items('event', pixelEvents, eventHow),
  ...items('event', [convertedStatus], name => `Run: trigger ${name} --lead ID --via body, for a distributed lead.`),
  ...items('callback', callbackOutcomes, name => callbackHow[name]),
]

/** The number of times that each item was seen, by {@link coverageKey}. Absent items were not seen. */
export type CoverageCounts = Readonly<Record<string, number>>

/**
 * Returns the key under which an item is counted, such as `reason/age_restriction`. Sandbox tools are counted separately.
 */
export function coverageKey(kind: CoverageKind, name: string, tool?: ToolOrigin): string {
  return tool === undefined ? `${kind}/${name}` : `${tool}:${kind}/${name}`
}

/** All coverage items, with the number of times that a tenant has seen each. */
export interface CoverageView {
  /** The number of items that were seen at least once. */
  readonly seen: number
  /** The number of all items. */
  readonly total: number
  /** Every item, seen or not. */
  readonly items: readonly (CoverageItem & { readonly count: number })[]
}

/** Returns the coverage of one origin. Ignores counts with names outside the specification. */
export function coverageView(counts: CoverageCounts, origin: Origin = 'integration'): CoverageView {
  const tool = origin === 'integration' ? undefined : origin
  const items = coverageItems.map(item => ({ ...item, count: counts[coverageKey(item.kind, item.name, tool)] ?? 0 }))
  return { seen: items.filter(({ count }) => count > 0).length, total: items.length, items }
}

/** Sums several counts by item. */
export function sumOfCounts(all: readonly CoverageCounts[]): Record<string, number> {
  const sum: Record<string, number> = {}
  for (const counts of all) for (const [key, count] of Object.entries(counts)) sum[key] = (sum[key] ?? 0) + count
  return sum
}

/** Returns the coverage keys of a request. A request that the browser resent has none, because it was a single click. */
export function coveredBy(request: RequestEntry): string[] {
  const { operation, outcome, reason, event, status, origin, resent } = request
  if (resent) return []
  if (event !== undefined) return [coverageKey('event', event, origin)]
  const shown = coverageKey('outcome', outcome, origin)
  if (operation === 'submitLead' && (status === 200 || status === 0) && isLeadStatus(outcome))
    return reason === undefined ? [shown] : [shown, coverageKey('reason', reason, origin)]
  return [coverageKey('error', outcome, origin)]
}
