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

/** A call of the service in the journal. Of what was sent it holds only what `journal/masking.ts` lets through. */
export interface RequestRecord {
  /** Its place in the tenant's journal, from 1. */
  number: number
  /** Milliseconds since 1970 on the tenant's clock. */
  at: number
  operation: OperationName
  method: string
  /** The path of the operation; it holds a `lead_id` only where that is a UUID. */
  path: string
  /** The query of a pixel, its values masked. */
  query?: string
  /** Harmless headers of the request, and which key it had, masked. Older entries have neither headers nor query. */
  request_headers?: Record<string, string>
  /** The headers of the response, if one was sent. */
  response_headers?: Record<string, string>
  /** HTTP status of the response; 0 where none was sent. */
  status: number
  /** The duration, milliseconds of real time. */
  ms: number
  /** The lead, if there is one. */
  lead_id?: string
  /** A lead status, `received` or `ignored` of an event, or an error code. */
  outcome: string
  /** The reason of a rejection. */
  reason?: string
  /** The canonical name of the event that was reported; `other` for a name that the specification does not know. */
  event?: string
  /** The check that decided, if the lead was rejected or its outcome was forced. */
  check?: string
  /** Every check of a submission that created no lead, without the sender's values. */
  trace?: Omit<TraceStep, 'input'>[]
  /** Fields of a submission that resemble what was probably meant, such as a misspelt one. */
  near_misses?: Pick<NearMiss, 'field' | 'message'>[]
  /** The issues of its fields. */
  issues?: FieldIssue[]
  /** The open points whose other interpretation leads to another response. */
  warnings: readonly RequestWarning[]
  /** The fault that was injected. */
  fault_id?: string
  /** The way in which the response was broken. */
  broken?: BrokenResponse
  /** The tool of the sandbox that made it; undefined for a call of the integration under test. */
  origin?: ToolOrigin
  /** Set if the browser sent it again after its connection was cut: the click that caused it was one. */
  resent?: true
}

/** A request with its response, before the journal numbers it. */
export type RequestEntry = Omit<RequestRecord, 'number'>

/** A body of a call as it is kept: masked JSON, or, with {@link CallBodies.sent}, its text as it was sent. */
export interface KeptBody {
  /** Of a body that is not JSON, nothing is kept masked. */
  state: 'whole' | 'truncated' | 'not_json'
  text: string
}

/** The bodies of a call, which are kept only if the tenant's settings say so, and not as long as its entry. */
export interface CallBodies {
  /** Undefined if the operation takes none. */
  request?: KeptBody | undefined
  /** Undefined if none was sent. */
  response?: KeptBody | undefined
  /** Set if the bodies are as they were sent: then with the headers and the query that the call's entry has masked. */
  sent?: { headers: Record<string, string>; query?: string } | undefined
}

/** A submission that was rejected and created no lead. */
export interface RejectionRecord {
  /** The number of its request in the journal. */
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

/** A rejection before the journal numbers its request. */
export type RejectionEntry = Omit<RejectionRecord, 'number'>

/** A portability warning. `would` is a phrase that says what the service does under the other interpretation. */
export type RequestWarning = Omit<PortabilityWarning, 'would'> & { readonly would: string }

/** A receiver's answer to a callback as it is kept: masked and bounded. */
export interface KeptAnswer {
  headers: Record<string, string>
  /** The first part of its body, without control characters. */
  text: string
  /** Set if there was more. */
  truncated?: true
}

/** One try of a callback, the receiver's answer, and the effect of a fault on it. */
export interface SandboxAttempt extends CallbackAttempt {
  /** Undefined if the receiver did not answer, or a listener reported its status alone. */
  answer?: KeptAnswer
  /** The number of additional copies. */
  copies?: number
  /** The fault that was injected. */
  fault_id?: string
}

/** How a callback that no event caused differs from the one that it copies. */
export interface SyntheticCallback {
  /** The recorded callback of its lead and event, whose id it is signed with; undefined if there was none. */
  copy_of?: string | undefined
  /** Parameters of the query, by name. */
  edit?: Record<string, string> | undefined
  /** True if its signature is not that of the tenant's secret. */
  bad_signature?: boolean | undefined
}

/** A callback as the sandbox stores it. */
export interface SandboxCallback extends CallbackRecord {
  attempts: SandboxAttempt[]
  /** The reason that it was postponed. It is not postponed a second time before it was tried. */
  held?: CallbackHold | undefined
  /** The tool of the sandbox that reported its event, or sent it; undefined for the integration under test. */
  origin?: ToolOrigin | undefined
  /** Set if somebody sent it, and no event did. It is outside the order of its lead, and tried once. */
  synthetic?: SyntheticCallback | undefined
}

/** A callback that one delivery has until a time: nobody else is given it before. */
export interface LeasedCallback extends SandboxCallback {
  /** The end of the lease, on the clock of leases. It is greater than that of every earlier lease of this callback. */
  leased_until: number
}

/** An event that the simulated advertiser is going to report by itself. */
export interface ScheduledReport {
  report_id: string
  lead_id: string
  advertiser_id: string
  /** The name that it is reported by. */
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
  /** The path and query as they came in. */
  target: string
  /** The signature headers, where there were any. */
  headers: Record<string, string>
  /** HTTP status of the inbox's response. */
  status: number
}

/** An entry as it is kept, numbered without gaps. */
export interface NumberedInboxEntry extends InboxEntry {
  number: number
}

/** The response of a tenant's inbox. */
export interface InboxMode {
  /** HTTP status of its responses. */
  status: number
  /** The number of further callbacks that get it before the response is 200 again; undefined for all. */
  times?: number | undefined
}

/** A callback that is on its way through a tenant's listener. */
export interface ForwardedCallback {
  delivery_id: string
  url: string
  /** Its signature headers, if the tenant signs its callbacks. */
  headers: Record<string, string>
  /** The number of the attempt, from 1. */
  attempt: number
  /** When the attempt times out, on the clock of leases. */
  ends_at: number
  /** True once the listener has it. */
  taken?: boolean
  /** The response that the listener reported. */
  response?: ReportedResponse
}

/** The response of a receiver as a listener reports it: a status, or the reason why there is none. */
export interface ReportedResponse {
  status?: number | undefined
  error?: string | undefined
}

/** The state of a tenant's listener, which all processes share. */
export interface ListenerState {
  /** Empty where there never was one. */
  listener_id: string
  /** Until when it counts as there, on the clock of leases. */
  seen_until: number
  /** The number of callbacks that it was ever given. */
  count: number
  deliveries: ForwardedCallback[]
}

/** The small values of a tenant besides its record and its rows, each of which changes as a whole. */
export interface TenantDocuments {
  clock: ClockState
  faults: FaultStoreState
  inbox: InboxMode
  /** Oldest first; only if there is a maximum age. */
  ages: AgeMark[]
  /** Only if there ever was one. */
  listener?: ListenerState
}

/** The newest ids of a tenant. */
export interface NewestIds {
  /** Of the lead that was added last; undefined where there is none. */
  lead_id: string | undefined
  /** Of the callback that was added last; undefined where there is none. */
  callback_id: string | undefined
}

/** The newest lead, callback and request of a tenant at a time. */
export interface AgeMark {
  /** Milliseconds since 1970, real time. */
  at: number
  newest: NewestIds
  newestRequest: number
}

/** A stored fault. */
export interface FaultRecord extends Fault {
  fault_id: string
  /** The number of calls that matched so far. */
  matched: number
  /** The number of times it has acted. */
  acted: number
}

/** All faults of a tenant, in the order of setting. */
export interface FaultStoreState {
  /** The number of faults ever set: their numbering continues. */
  set: number
  faults: FaultRecord[]
}

/** The response of an advertiser's back end to a lead. */
export interface BackendResponse extends CallbackAttempt {}

/** The reply of an advertiser as the sandbox stores it. */
export interface SandboxOfferResponse extends OfferResponse {
  /** The response of the advertiser's back end, if it has one, took the lead and has responded. */
  backend?: BackendResponse
}

/** Adds the response of an advertiser's back end to its delivery. */
export function withResponse(
  deliveries: readonly SandboxOfferResponse[],
  advertiserId: string,
  backend: BackendResponse,
) {
  return deliveries.map(each => (each.advertiser_id === advertiserId ? { ...each, backend } : each))
}
