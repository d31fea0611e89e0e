import {
  basePath,
  type ErrorResponse,
  type FieldIssue,
  isLeadStatus,
  isUuid,
  knownStatuses,
  type LeadResponse,
} from '@lead-distribution/contract'
import { type OperationName, operations } from '@lead-distribution/contract/shapes'
import type { TraceStep } from '@lead-distribution/engine'
import { headersOf, type Layer } from '@lead-distribution/http'
import {
  keptQuery,
  maskedRequestBody,
  maskedRequestHeaders,
  maskedResponseBody,
  truncatedText,
  unmaskedRequestHeaders,
} from '../journal/masking.ts'
import { originHeader, readOrigin } from '../origin.ts'
import type { CallBodies, RejectionEntry, RequestEntry, StoredBody } from '../storage/records.ts'
import { unavailable } from '../storage/storage-unavailable.ts'
import { type ServiceResponse, unauthorized } from './responses.ts'
import type { LeadServiceOptions, ServiceCall } from './service-call.ts'

/**
 * Adds a call to its tenant's journal. If processes share it, waits until the entry is stored, so that the caller can
 * read it back.
 */
export function writeJournal(options: LeadServiceOptions): Layer<ServiceCall> {
  return async (call, next) => {
    const response = await next()
    const written = addEntry(options, call, response)
    if (written) await written
    return response
  }
}

/** Measures a call, and adds it to the journal if it throws. */
export function journalFailures(options: LeadServiceOptions): Layer<ServiceCall> {
  const { registry, now } = options
  return async (call, next) => {
    const { tenant } = call
    call.began = now()
    call.at = tenant.clock.now()
    try {
      return await next()
    } catch (error) {
      // A deleted tenant no longer has keys.
      if (registry.isGone(tenant, error)) return unauthorized
      const failed = unavailable(error) ?? { status: 500, body: { error: 'internal_error' } }
      await tenant.lock.shared(async () => addEntry(options, call, failed))
      throw error
    }
  }
}

function addEntry({ now, metrics }: LeadServiceOptions, call: ServiceCall, response: ServiceResponse) {
  const entry = journalEntry(call, response, now() - call.began)
  const named = call.headers[originHeader]
  const { tool, attempt } = named === undefined ? {} : readOrigin(named)
  if (tool) entry.origin = tool
  if (call.operation === 'submitLead' && isLeadStatus(entry.outcome)) metrics.lead(entry.outcome, entry.reason)
  const rejection = rejectionOf(entry, response)
  const bodies = (isFull: boolean) => (isFull ? fullBodies(call, response) : callBodies(call, response, entry))
  return call.tenant.journal.add(entry, bodies, { rejection, attempt })
}

/** Returns the journal's record of a rejection that created no lead; undefined for any other call. */
function rejectionOf({ at }: RequestEntry, { body, notes }: ServiceResponse): RejectionEntry | undefined {
  const lead = notes?.rejected
  const { rejection_reason: reason } = body as Partial<LeadResponse>
  if (!lead || !reason) return undefined
  const { product_id, product_data, customer } = lead
  const { loan_amount, loan_term_months } = product_data
  const email = customer.contact.email.address.toLowerCase()
  return { at, product_id, reason, email, loan_amount, loan_term_months }
}

/** Returns a call's journal entry. It contains known names, and only the masked parts of the request. */
function journalEntry(
  { operation, method, params, query, headers, at, fault }: ServiceCall,
  response: ServiceResponse,
  ms: number,
): RequestEntry {
  const { broken, notes = {} } = response
  const named = isUuid(params.lead_id ?? '') ? params.lead_id : undefined
  const lead_id = notes.lead_id ?? named
  const check = notes.trace?.find(({ verdict }) => verdict === 'rejected' || verdict === 'forced')?.check
  const { status, rejection_reason } = response.body as Partial<LeadResponse>
  const { error, details } = response.body as Partial<ErrorResponse>
  const entry: RequestEntry = {
    at,
    operation,
    method,
    path: named === undefined ? pathOf[operation] : pathOf[operation].replace(':lead_id', named),
    status: isLost(response) ? 0 : response.status,
    ms,
    outcome: error ?? notes.event?.outcome ?? String(status),
    warnings: notes.warnings ?? [],
    request_headers: maskedRequestHeaders(headers),
  }
  if (!isLost(response)) entry.response_headers = { ...headersOf(response.headers) }
  if (operation === 'reportEvent') entry.query = keptQuery(query)
  // Hot path: assigned one by one, because most calls have few of them.
  if (lead_id !== undefined) entry.lead_id = lead_id
  if (typeof rejection_reason === 'string') entry.reason = rejection_reason
  if (notes.event) entry.event = knownEvent(notes.event.name)
  if (check !== undefined) entry.check = check
  if (notes.trace && notes.lead_id === undefined) entry.trace = notes.trace.map(withoutInput)
  if (notes.near_misses && notes.near_misses.length > 0)
    entry.near_misses = notes.near_misses.slice(0, maxKeptMisses).map(({ field, message }) => ({ field, message }))
  if (details) entry.issues = keptOf(operation === 'reportEvent' ? details.map(withoutForeignName) : details)
  if (fault) entry.fault_id = fault.fault_id
  if (broken) entry.broken = broken
  return entry
}

/** Returns true if no response was sent. */
const isLost = ({ broken }: ServiceResponse) => broken === 'cut' || broken === 'withheld'

/** Returns a call's masked bodies for the journal. The body of a refused caller was not read. */
function callBodies(
  { operation, input, refused }: ServiceCall,
  response: ServiceResponse,
  { issues }: Pick<RequestEntry, 'issues'>,
): CallBodies {
  const misspelt = new Set(response.notes?.near_misses?.map(({ field }) => field))
  return {
    request: refused === unauthorized ? undefined : maskedRequestBody(operation, input, misspelt),
    response: isLost(response) ? undefined : maskedResponseBody(response.body, issues),
  }
}

/** Returns a call's unmasked content. Omits a body that the service did not read. */
function fullBodies({ headers, query, bytes, operation }: ServiceCall, response: ServiceResponse): CallBodies {
  return {
    request: bytes && fullBody(bytes),
    response: isLost(response) ? undefined : truncatedText(JSON.stringify(response.body)),
    sent: { headers: unmaskedRequestHeaders(headers), ...(operation === 'reportEvent' && { query: query.toString() }) },
  }
}

/** Returns a body as it was sent. Drops one that is not UTF-8, because its text would not be the same body. */
function fullBody(bytes: Uint8Array): StoredBody {
  try {
    return truncatedText(utf8.decode(bytes))
  } catch {
    return { state: 'not_json', text: '' }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The maximum number of near misses to record per call. */
const maxKeptMisses = 5

/** Removes the sender's values from a check. Drops the hint of the shape check too, which repeats the issues. */
function withoutInput({ check, verdict, threshold, hint }: TraceStep): Omit<TraceStep, 'input'> {
  return {
    check,
    verdict,
    ...(threshold === undefined ? {} : { threshold }),
    ...(hint === undefined || check === 'shape' ? {} : { hint }),
  }
}

/** The maximum number of issues to record per request. The response lists all. */
const maxKeptIssues = 20

function keptOf(issues: FieldIssue[]): FieldIssue[] {
  if (issues.length <= maxKeptIssues) return issues
  const kept = maxKeptIssues - 1
  return [
    ...issues.slice(0, kept),
    { field: 'body', issue: `has more issues: the journal records only the first ${kept} of a request` },
  ]
}

const pathOf: Readonly<Record<OperationName, string>> = {
  submitLead: `${basePath}${operations.submitLead.path}`,
  reportStatus: `${basePath}${operations.reportStatus.path}`,
  reportEvent: `${basePath}${operations.reportEvent.path}`,
}

/** Returns an event's name, or `other`: with `status_vocabulary` `any`, the sender chooses the name. */
function knownEvent(event: string): string {
  return (knownStatuses as readonly string[]).includes(event) ? event : 'other'
}

/** The pixel's query parameters. An issue of any other parameter omits its name, which the sender chose. */
const pixelFields = ['lead_id', 'token', 'event', 'ref']

function withoutForeignName({ field, issue }: { field: string; issue: string }) {
  return { field: pixelFields.includes(field) ? field : 'query', issue }
}
