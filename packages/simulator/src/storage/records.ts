import type { FieldIssue, RejectionReason } from '@lead-distribution/contract'
import type { NearMiss } from '@lead-distribution/contract/diagnostics'
import type { OperationName } from '@lead-distribution/contract/shapes'
import type {
  CallbackAttempt,
  CallbackRecord,
  OfferResponse,
  PortabilityWarning,
  TraceStep,
} from '@lead-distribution/engine'
import type { BrokenResponse } from '@lead-distribution/http'
import type { CallbackHold, Fault } from '../effects/effects.ts'
import type { ToolOrigin } from '../origin.ts'
import type { ClockState } from '../time/clock.ts'

/** A service call in the journal. Contains only the parts of the request that `journal/masking.ts` lets through. */
export interface RequestRecord {
  /** Its number in the tenant's journal, from 1. */
  number: number
  /** Milliseconds since 1970 on the tenant's clock. */
  at: number
  operation: OperationName
  method: string
  /** The operation's path. Contains the `lead_id` only if that is a UUID. */
  path: string
  /** The query of a pixel, with its values masked. */
  query?: string
  /** Harmless request headers, and the masked key header. Older entries have neither headers nor query. */
  request_headers?: Record<string, string>
  /** The headers of the response, if one was sent. */
  response_headers?: Record<string, string>
  /** HTTP status of the response; 0 if none was sent. */
  status: number
  /** The duration, in milliseconds of real time. */
  ms: number
  /** The lead, if there is one. */
  lead_id?: string
  /** A lead status; `received` or `ignored` for an event; or an error code. */
  outcome: string
  /** The reason of a rejection. */
  reason?: string
  /** The reported event's canonical name; `other` for a name outside the specification. */
  event?: string
  /** The check that decided, if the lead was rejected or its outcome was forced. */
  check?: string
  /** Every check of a submission that created no lead, without values from the request. */
  trace?: Omit<TraceStep, 'input'>[]
  /** Fields that are probably mistakes, such as misspelled ones. */
  near_misses?: Pick<NearMiss, 'field' | 'message'>[]
  /** The issues of the fields. */
  issues?: FieldIssue[]
  /** The open points where another interpretation would change the response. */
  warnings: readonly RequestWarning[]
  /** The injected fault. */
  fault_id?: string
  /** How the response was broken. */
  broken?: BrokenResponse
  /** The sandbox tool that made the call; undefined for the integration under test. */
  origin?: ToolOrigin
  /** Present if the browser resent the call after its connection was cut, so that both belong to one click. */
  resent?: true
}

/** A request with its response, before the journal assigns a number. */
export type RequestEntry = Omit<RequestRecord, 'number'>

/** A stored body: masked JSON or, with {@link CallBodies.sent}, the text as sent. */
export interface StoredBody {
  /** `not_json` if the whole body was dropped, because it is not JSON in UTF-8. */
  state: 'whole' | 'truncated' | 'not_json'
  text: string
}

/** A call's bodies, stored only if the tenant's settings say so, and for a shorter time than the entry. */
export interface CallBodies {
  /** Undefined if the operation has no request body. */
  request?: StoredBody | undefined
  /** Undefined if no response was sent. */
  response?: StoredBody | undefined
  /** Present if the bodies are unmasked. Contains the unmasked headers and query too. */
  sent?: { headers: Record<string, string>; query?: string } | undefined
}

/** A submission that was rejected and created no lead. */
export interface RejectionRecord {
  /** The journal number of its request. */
  number: number
  /** Milliseconds since 1970 on the tenant's clock. */
  at: number
  product_id: string
  reason: RejectionReason
  /** In lower case. */
  email: string
  loan_amount: number
  loan_term_months: number
}

/** A rejection, before the journal assigns a number to its request. */
export type RejectionEntry = Omit<RejectionRecord, 'number'>

/** A portability warning. `would` is a phrase that describes the behavior under the other interpretation. */
export type RequestWarning = Omit<PortabilityWarning, 'would'> & { readonly would: string }

/** A receiver's stored response to a callback, masked and truncated. */
export interface StoredAnswer {
  headers: Record<string, string>
  /** The first part of its body, without control characters. */
  text: string
  /** Present if the body was longer. */
  truncated?: true
}

/** A callback attempt, with the receiver's response and the effect of a fault. */
export interface SandboxAttempt extends CallbackAttempt {
  /** Undefined if the receiver did not respond, or a listener reported only the status. */
  answer?: StoredAnswer
  /** The number of extra copies. */
  copies?: number
  /** The injected fault. */
  fault_id?: string
}

/** The differences between a synthetic callback and the one that it copies. */
export interface SyntheticCallback {
  /** The recorded callback for the same lead and event, whose id is used in the signature; undefined if there was none. */
  copy_of?: string | undefined
  /** Parameters of the query, by name. */
  edit?: Record<string, string> | undefined
  /** True to sign with a secret other than the tenant's. */
  bad_signature?: boolean | undefined
}

/** A callback as the sandbox stores it. */
export interface SandboxCallback extends CallbackRecord {
  attempts: SandboxAttempt[]
  /** The reason for a postponement. A callback is not postponed twice before an attempt. */
  held?: CallbackHold | undefined
  /** The sandbox tool that reported the event or sent the callback; undefined for the integration under test. */
  origin?: ToolOrigin | undefined
  /** Present if a user sent the callback rather than an event. It is exempt from its lead's order, and attempted once. */
  synthetic?: SyntheticCallback | undefined
}

/** A leased callback: no other process gets it before the lease expires. */
export interface LeasedCallback extends SandboxCallback {
  /**
   * The expiry of the lease, on the lease clock. Greater than that of any earlier lease of this callback, so it fences
   * them.
   */
  leased_until: number
}

/** An event that the simulated advertiser will report by itself. */
export interface ScheduledReport {
  report_id: string
  lead_id: string
  advertiser_id: string
  /** The event name to report. */
  event: string
  /** Milliseconds since 1970 on the tenant's clock. */
  due_at: number
}

/** A callback that a tenant's own inbox received. */
export interface InboxEntry {
  /** Milliseconds since 1970 on the tenant's clock. */
  received_at: number
  lead_id: string
  event: string
  /** The path and query as received. */
  target: string
  /** The signature headers, if any. */
  headers: Record<string, string>
  /** HTTP status of the inbox's response. */
  status: number
}

/** A stored entry, numbered without gaps. */
export interface NumberedInboxEntry extends InboxEntry {
  number: number
}

/** The response of a tenant's inbox. */
export interface InboxMode {
  /** HTTP status of the responses. */
  status: number
  /** How many more callbacks get this status before the response is 200 again; undefined for all. */
  times?: number | undefined
}

/** A callback in flight through a tenant's listener. */
export interface ForwardedCallback {
  delivery_id: string
  url: string
  /** Its signature headers, if the tenant signs its callbacks. */
  headers: Record<string, string>
  /** The number of the attempt, from 1. */
  attempt: number
  /** The time at which the attempt times out, on the lease clock. */
  ends_at: number
  /** True once the listener has it. */
  taken?: boolean
  /** The response that the listener reported. */
  response?: ReportedResponse
}

/** A receiver's response as reported by a listener: a status, or the reason why there is none. */
export interface ReportedResponse {
  status?: number | undefined
  error?: string | undefined
}

/** The state of a tenant's listener, which all processes share. */
export interface ListenerState {
  /** Empty if there never was one. */
  listener_id: string
  /** The time until which the listener counts as connected, on the lease clock. */
  seen_until: number
  /** The number of callbacks passed to the listener so far. */
  count: number
  deliveries: ForwardedCallback[]
}

/** A tenant's small documents besides its record and rows, each replaced as a whole. */
export interface TenantDocuments {
  clock: ClockState
  faults: FaultStoreState
  inbox: InboxMode
  /** Oldest first. Written only if there is a maximum age. */
  ages: AgeMark[]
  /** Present if there ever was one. */
  listener?: ListenerState
}

/** The newest ids of a tenant. */
export interface NewestIds {
  /** The newest lead's id; undefined if there are no leads. */
  lead_id: string | undefined
  /** The newest callback's id; undefined if there are no callbacks. */
  callback_id: string | undefined
}

/** A tenant's newest lead, callback and request at a point in time. */
export interface AgeMark {
  /** Milliseconds since 1970, real time. */
  at: number
  newest: NewestIds
  newestRequest: number
}

/** A stored fault. */
export interface FaultRecord extends Fault {
  fault_id: string
  /** The number of calls matched so far. */
  matched: number
  /** The number of times the fault has acted. */
  acted: number
}

/** All faults of a tenant, in the order in which they were added. */
export interface FaultStoreState {
  /** The number of faults ever added, from which numbering continues. */
  set: number
  faults: FaultRecord[]
}

/** An advertiser's back-end response to a lead. */
export interface BackendResponse extends CallbackAttempt {}

/** An advertiser's offer response as the sandbox stores it. */
export interface SandboxOfferResponse extends OfferResponse {
  /** The response of the advertiser's back end, if the lead was forwarded and the back end has responded. */
  backend?: BackendResponse
}

/** Adds an advertiser's back-end response to its delivery. */
export function withResponse(
  deliveries: readonly SandboxOfferResponse[],
  advertiserId: string,
  backend: BackendResponse,
) {
  return deliveries.map(each => (each.advertiser_id === advertiserId ? { ...each, backend } : each))
}
