import {
  errorStatus,
  keyHeader,
  type LeadStatus,
  type RejectionReason,
  type Settings,
  validationError,
  wireError,
} from '@lead-distribution/contract'
import type { Lead } from '@lead-distribution/contract/shapes'
import { forcedError } from '@lead-distribution/contract/test-leads'
import type {
  EventResult,
  PortabilityWarning,
  Refused,
  StatusResult,
  SubmitResult,
  TraceStep,
} from '@lead-distribution/engine'
import { type JsonResponse, methodNotAllowed, type Refusal } from '@lead-distribution/http'
import { replaceCall } from '../effects/inject-effect.ts'
import { effectOfScenario } from '../effects/scenarios.ts'
import type { RequestWarning } from '../storage/records.ts'

export interface ServiceResponse extends JsonResponse {
  readonly notes?: CallNotes
}

/** Journal notes on a call, which its response does not show. */
export interface CallNotes {
  /** The lead, if there is one. */
  readonly lead_id?: string | undefined
  /** The submission, if it was rejected and created no lead. */
  readonly rejected?: Lead | undefined
  /** Every check of the decision, if one was made. */
  readonly trace?: readonly TraceStep[]
  /** The reported event's canonical name, and `isNew` unless it was a repeat. */
  readonly event?: { readonly name: string; readonly outcome: 'received' | 'ignored' }
  /** The scenario that forced the outcome, if any. */
  readonly forced_by?: string | undefined
  readonly warnings?: readonly RequestWarning[]
  /** Fields of a submission that are probably misspelled. */
  readonly near_misses?: readonly { readonly field: string; readonly message: string }[]
}

/** Refuses a call for a broken tenant. */
export const brokenTenant: Refusal = {
  status: 503,
  body: {
    error: 'service_unavailable',
    message:
      'The tenant of this key or lead is broken, so the request was not processed. GET /_sandbox/v1/tenants explains why, and what to do.',
  },
}

/** The same for a missing or wrong key or token, a wrong scope, and an unknown lead in the pixel (Spec 5). */
export const unauthorized: Refusal = {
  ...wireError(
    'unauthorized',
    'Send a valid API key of this endpoint in the apikey header, or the token of the postback URL as it was delivered.',
  ),
  headers: { 'www-authenticate': `ApiKey header="${keyHeader}"` },
}

const publisherMismatch = wireError(
  'publisher_mismatch',
  'Send the publisher_id that was issued together with this API key.',
)

const leadNotFound = wireError('not_found', 'Send the lead_id of a lead that was distributed to this advertiser.')

/** Returns the response to a submission (Spec 2.12; points 3 and 7 of the open points). */
export function submitResponse(result: SubmitResult, settings: Settings): ServiceResponse {
  const { trace, lead_id, forced_by, lead } = result
  const rejected = result.status === 'rejected' && lead_id === undefined ? lead : undefined
  const warnings = result.warnings.map(describeWarning)
  if (result.status === 'rejected' && result.kind === 'semantic') warnings.push(semanticWarning(result, settings))
  return { ...responseTo(result, settings), notes: { trace, lead_id, rejected, forced_by, warnings } }
}

function responseTo(result: SubmitResult, settings: Settings): JsonResponse {
  switch (result.status) {
    case 'refused':
      return refusal(result, publisherMismatch)
    case 'undecided':
      return scenarioResponse(result.forced_by)
    case 'rejected': {
      const { reason, lead_id } = result
      const isError = result.kind === 'semantic' && settings.semantic_refusals === 'http_422'
      return isError ? semanticError(reason) : leadResponse('rejected', { lead_id, rejection_reason: reason }, settings)
    }
    default:
      return leadResponse(result.status, result, settings)
  }
}

/** Returns the response of a scenario that prevents any decision. A 401 is the same as for a wrong key. */
function scenarioResponse(name: string): JsonResponse {
  const effect = effectOfScenario(name)
  return name === 'http_401' ? unauthorized : ((effect && replaceCall(effect)) ?? forcedError(500))
}

interface LeadFields {
  readonly lead_id?: string | undefined
  readonly redirect_url?: string | undefined
  readonly rejection_reason?: RejectionReason | undefined
}

/** Point 7: fields that do not apply are absent or null. JSON omits undefined values. */
function leadResponse(status: LeadStatus, fields: LeadFields, { absent_fields }: Settings): JsonResponse {
  const absent = absent_fields === 'null' ? null : undefined
  const { lead_id = absent, redirect_url = absent, rejection_reason = absent } = fields
  return { status: 200, body: { lead_id, status, redirect_url, rejection_reason } }
}

/** Point 3: missing consents and an unknown product as an error. */
function semanticError(reason: RejectionReason): JsonResponse {
  return reason === 'consents_missing'
    ? wireError('consents_missing', 'Send consents.entries of the types terms and privacy_policy, each accepted.')
    : wireError('invalid_product', 'Send the product_id of a product that was issued to you.')
}

function semanticWarning({ reason }: { reason: RejectionReason }, settings: Settings): RequestWarning {
  const { semantic_refusals: interpretation } = settings
  const isError = interpretation === 'http_422'
  return {
    switch: 'semantic_refusals',
    interpretation,
    other_interpretation: isError ? 'rejected_200' : 'http_422',
    would: isError ? `respond 200 rejected, ${reason}` : `respond 422 ${reason}`,
  }
}

/** Point 4: refuses a method that the tenant's interpretation excludes. The pixel's GET is always allowed. */
export function refuseMethod(method: string, settings: Settings): ServiceResponse | undefined {
  const { status_methods } = settings
  if (status_methods.includes(method as never)) return undefined
  return { ...methodNotAllowed(['GET', ...status_methods]), notes: { warnings: [methodWarning(method, settings)] } }
}

/** Point 4: warns if the method gets another response under another interpretation. */
function methodWarning(method: string, { status_methods }: Settings): RequestWarning {
  const accepted = status_methods.includes(method as never)
  return {
    switch: 'status_methods',
    interpretation: status_methods.join(', '),
    other_interpretation: accepted ? (method === 'POST' ? 'PATCH' : 'POST') : method,
    would: accepted ? 'respond 405 method_not_allowed' : `accept ${method}`,
  }
}

/** Returns the response to a status update by body (Spec 4.2). */
export function statusResponse(result: StatusResult, method: string, settings: Settings): ServiceResponse {
  const warnings = [methodWarning(method, settings), ...result.warnings.map(describeWarning)]
  if (result.status === 'refused') return { ...refusal(result, leadNotFound), notes: { warnings } }
  const { status: outcome, lead_id, event: name, reported_as } = result
  return { status: 200, body: { lead_id, status: reported_as }, notes: { lead_id, event: { name, outcome }, warnings } }
}

/** Returns the response to a pixel call (Spec 4.3). */
export function eventResponse(result: EventResult): ServiceResponse {
  if (result.status === 'refused') return { ...refusal(result, unauthorized), notes: { lead_id: result.lead_id } }
  const { status, lead_id, event } = result
  return { status: 200, body: { lead_id, event, status }, notes: { lead_id, event: { name: event, outcome: status } } }
}

/** Returns the response to a refused call: its validation issues, or its single error. */
function refusal(refused: Refused, otherwise: JsonResponse): JsonResponse {
  return refused.error === 'validation_error' ? validationError(refused.issues) : otherwise
}

function describeWarning({ would, ...warning }: PortabilityWarning): RequestWarning {
  if (would !== 'accept') return { ...warning, would: `respond ${errorStatus[would]} ${would}` }
  return { ...warning, would: warning.switch === 'status_vocabulary' ? 'accept the status' : 'accept the shape' }
}
