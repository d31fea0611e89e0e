import { basePath, type FieldIssue, isLeadStatus } from '@lead-distribution/contract'
import type { TestRequest } from '@lead-distribution/contract/test-leads'
import type { Account, TenantControl } from '@lead-distribution/control-client'
import { scenarioHeader } from '@lead-distribution/simulator/effects'
import { originHeader, originValue } from '@lead-distribution/simulator/origin'
import { emailOf } from './draft.ts'
import type { JournalEntry, Lead } from './entries.ts'
import { parsedJson } from './json.ts'
import { newUuid } from './new-uuid.ts'
import { fetchFromSandbox, sandboxUrl } from './sandbox.ts'
import type { TestTenant } from './test-tenant.ts'

/** The result of a submission. */
export interface Submission {
  /** Undefined if no response arrived. */
  readonly response?: ServiceResponse | undefined
  /** True if the browser sent the request again by itself, because the connection was cut. */
  readonly isResent?: boolean | undefined
  /** The tenant's time and account when it was sent, for a test with its own tenant. */
  readonly tenant?: TestTenant
  /** The lead of an attempt whose connection was cut before the response arrived. */
  readonly cut?: Lead | undefined
  /** The lead of a response that a fault made unreadable. */
  readonly garbled?: Lead | undefined
  /** True if a fault may have changed the response. */
  readonly isFaulty?: boolean | undefined
}

/** The number of requests that are searched for the one that was cut. */
const entriesSearched = 50

/**
 * Submits a lead. If a reused connection is cut, the browser silently resends the request. Then the response belongs to
 * the second attempt, and only the journal shows the first.
 * @throws Error if no response arrived and no lead was created.
 */
export async function submit(
  { requests, leads }: TenantControl,
  request: TestRequest,
  { publisher }: Pick<Account, 'publisher'>,
): Promise<Submission> {
  const entries = async (limit: number) => (await requests.list({ operation: 'submitLead', limit })).requests
  const before = numberOf((await entries(1))[0])
  const [sent] = await Promise.allSettled([submitToService(request, publisher.api_key)])
  const email = emailOf(request).toLowerCase()
  const since = (await entries(entriesSearched)).filter(entry => numberOf(entry) > before)
  const isResent = since.some(({ resent }) => resent)
  const isFaulty = since.some(
    ({ fault_id, broken, outcome }) => fault_id !== undefined && (broken !== undefined || !isLeadStatus(outcome)),
  )
  for (const entry of since) {
    const { broken, lead_id } = entry
    if ((broken !== 'cut' && broken !== 'garbled') || lead_id === undefined) continue
    const lead = await leads.show(lead_id)
    const response = sent.status === 'fulfilled' ? sent.value : undefined
    if (lead.email === email) return { [broken]: lead, isResent, isFaulty, response }
  }
  if (sent.status === 'rejected') throw sent.reason
  return { isResent, isFaulty, response: sent.value }
}

/** Returns the number of a request, which counts up; 0 if there is none. */
export const numberOf = (entry: { readonly request_id: string } | undefined) => Number(entry?.request_id.slice(1) ?? 0)

/** The service's response to a submission. */
export interface ServiceResponse {
  readonly status: number
  readonly body: unknown
}

/** The texts of a response that the page shows. */
const texts = ['lead_id', 'status', 'rejection_reason', 'error', 'message', 'redirect_url'] as const

const noIssues: readonly FieldIssue[] = []

/** Reads the body of a response: its texts, and the issues of invalid fields. It may be anything after a fault. */
export function readBody(body: unknown) {
  const fields: Record<string, unknown> = Object(body)
  const found = texts.flatMap(name => (typeof fields[name] === 'string' ? [[name, fields[name]]] : []))
  const issues: readonly FieldIssue[] = Array.isArray(fields.details) ? fields.details : noIssues
  return { ...(Object.fromEntries(found) as Partial<Record<(typeof texts)[number], string>>), issues }
}

/** @throws Error with more than the browser's `Failed to fetch`. */
function explainFailure(thrown: unknown): never {
  if (thrown instanceof DOMException && thrown.name === 'TimeoutError')
    throw new Error(
      `No response arrived within ${responseTimeoutMs / 1_000} seconds. The Requests view shows the outcome.`,
    )
  throw new Error('The connection was cut before a response arrived. The Requests view shows the outcome.')
}

/** The time-out for a response from the service, in milliseconds. */
const responseTimeoutMs = 15_000

/** Submits to the real endpoint with the publisher's key, like the publisher's application. */
export function submitToService({ headers, body }: TestRequest, apiKey: string): Promise<ServiceResponse> {
  return sendToService({ method: 'POST', path: '/lead', headers: { apikey: apiKey, ...headers }, body })
}

/** A request to the service. */
export interface ServiceRequest {
  readonly method: string
  /** The path below the base URL, with the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/**
 * Sends a request to the service, as the application of a publisher or an advertiser does. The sandbox recognizes a
 * request resent by the browser by its attempt id.
 */
export async function sendToService({ method, path, headers, body }: ServiceRequest): Promise<ServiceResponse> {
  const response = await fetchFromSandbox(new URL(`${basePath.slice(1)}${path}`, sandboxUrl), {
    method,
    headers: { ...headers, [originHeader]: originValue('console', newUuid()) },
    ...(body !== undefined && { body }),
    // A fault may withhold the response forever.
    signal: AbortSignal.timeout(responseTimeoutMs),
  }).catch(explainFailure)
  const text = await response.text()
  return { status: response.status, body: parsedJson(text) ?? text }
}

/** The headers that affect the service's decision. Others describe the sending program. */
const decidingHeaders = ['apikey', 'content-type', scenarioHeader]

/** Returns a journal entry's request as it was sent. Undefined if the journal doesn't have all of it. */
export function requestOfEntry(entry: JournalEntry): ServiceRequest | undefined {
  const { method, path, query, request_headers = {}, request_body, is_full = false } = entry
  if (!is_full || (method !== 'GET' && request_body?.state !== 'whole')) return undefined
  const headers = Object.entries(request_headers).filter(([name]) => decidingHeaders.includes(name))
  return {
    method,
    path: `${path.slice(basePath.length)}${query ? `?${query}` : ''}`,
    headers: Object.fromEntries(headers),
    body: request_body?.text,
  }
}

/** Returns the request that submitted a lead: from the journal if that has it, else with what is stored of the lead. */
export async function requestOfLead(
  { requests }: TenantControl,
  { lead_id, submission }: Lead,
  { publisher }: Pick<Account, 'publisher'>,
): Promise<ServiceRequest> {
  const [entry] = (await requests.list({ leadId: lead_id, operation: 'submitLead', limit: 1 })).requests
  const kept = entry && requestOfEntry(await requests.show(entry.request_id))
  const headers = { apikey: publisher.api_key, 'content-type': 'application/json' }
  return kept ?? { method: 'POST', path: '/lead', headers, body: JSON.stringify(submission) }
}
