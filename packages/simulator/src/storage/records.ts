import type { FieldIssue } from '@lead-distribution/contract'
import type { OperationName } from '@lead-distribution/contract/shapes'
import type { NearMiss } from '@lead-distribution/diagnostics'
import type { CallbackAttempt, CallbackRecord, PortabilityWarning, TraceStep } from '@lead-distribution/engine'
import type { BrokenResponse } from '@lead-distribution/http'
import type { ClockState } from '../time/clock.ts'

/** One call of the service as the journal stores it. It holds no header, no query and no value of a body, so nothing needs redaction. */
export interface RequestRecord {
  /** Its place in the tenant's journal, from 1. */
  number: number
  /** Milliseconds since 1970 on the tenant's clock. */
  at: number
  operation: OperationName
  method: string
  /** The path of the operation; it holds a `lead_id` only where that is a UUID. */
  path: string
  /** HTTP status of the response; 0 where none was sent. */
  status: number
  /** How long it took, milliseconds of real time. */
  ms: number
  /** The lead it is about, where there is one. */
  lead_id?: string
  /** A lead status, `received` or `ignored` of an event, or an error code. */
  outcome: string
  /** The reason of a rejection. */
  reason?: string
  /** The canonical name of the event that was reported; `other` for a name that the specification does not know. */
  event?: string
  /** The check that decided, where the lead was refused or its outcome was forced. */
  check?: string
  /** Every check of a submission that created no lead, without what was sent. */
  trace?: Omit<TraceStep, 'input'>[]
  /** What of a submission resembles what was probably meant, such as a misspelt field. */
  near_misses?: Pick<NearMiss, 'field' | 'message'>[]
  /** What was wrong with which field. */
  issues?: FieldIssue[]
  /** Where another interpretation of an open point leads to another response. */
  warnings: readonly RequestWarning[]
  /** The fault that was injected. */
  fault_id?: string
  /** How the response was broken on its way. */
  broken?: BrokenResponse
}

/** A portability warning; `would` is a phrase: what the service does under the other interpretation. */
export type RequestWarning = Omit<PortabilityWarning, 'would'> & { readonly would: string }

/** One try of a callback, and what a fault did to it. */
export interface SandboxAttempt extends CallbackAttempt {
  /** How many more copies went out. */
  copies?: number
  /** The fault that was injected. */
  fault_id?: string
}

/** Why a fault postponed a due callback: to come late, or to come after the next one of its lead. */
export type CallbackHold = 'delay' | 'reorder'

/** A callback as the sandbox stores it. */
export interface SandboxCallback extends CallbackRecord {
  attempts: SandboxAttempt[]
  /** Why it was postponed; it is not postponed a second time before it was tried. */
  held?: CallbackHold | undefined
}

/** A callback that was leased and not sent. */
export interface Postponement {
  callback_id: string
  /** When it is due now, milliseconds since 1970 on the tenant's clock. */
  due_at: number
  /** Undefined where no fault postponed it. */
  held?: CallbackHold | undefined
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
  /** HTTP status of the inbox's answer. */
  status: number
}

/** An entry as it is kept, numbered without gaps. */
export interface NumberedInboxEntry extends InboxEntry {
  number: number
}

/** How a tenant's own inbox answers. */
export interface InboxMode {
  /** HTTP status of its answers. */
  status: number
  /** How many more callbacks get it, before the answer is 200 again; undefined for all. */
  times?: number | undefined
}

/** What is stored of a tenant besides its record and its rows: small values that change as a whole. */
export interface TenantDocuments {
  clock: ClockState
  faults: FaultStoreState
  inbox: InboxMode
  /** How often each outcome, reason, error and event was seen, by `kind/name`. */
  coverage: Record<string, number>
  /** Oldest first; only where there is a greatest age. */
  ages: AgeMark[]
}

/** The newest ids of a tenant. */
export interface NewestIds {
  /** Of the lead that was added last; undefined where there is none. */
  lead_id: string | undefined
  /** Of the callback that was added last; undefined where there is none. */
  callback_id: string | undefined
}

/** How far a tenant's leads, callbacks and requests went at a time. */
export interface AgeMark {
  /** Milliseconds since 1970, real time. */
  at: number
  newest: NewestIds
  newestRequest: number
}

/** The effect of a fault on a call of the service. */
export type InboundEffect =
  /** Answers this status; nothing is done. With `retry_after`, seconds, in the header of that name. */
  | { status: number; retry_after?: number | undefined }
  /** Waits so many milliseconds of real time, then does as usual. */
  | { latency_ms: number }
  /** Never answers; nothing is done. */
  | { timeout: true }
  /** Cuts the connection; nothing is done. */
  | { reset: true }
  /** Done as usual, but the response is no whole JSON. */
  | { malformed: true }
  /** Done as usual, but the connection is cut before the response. */
  | { lost_reply: true }

/** The effect of a fault on a callback. */
export type OutboundEffect =
  /** Not sent; counts as a failed try. */
  | { drop: true }
  /** Sent later, by a duration of the tenant's clock. */
  | { delay: string }
  /** Sent so many times more. */
  | { duplicate: number }
  /** Sent after the next callback of the same lead. */
  | { reorder: true }
  /** Not sent; counts as a try that was answered with this status. */
  | { status: number }

/** The effect of a fault. */
export type FaultEffect = InboundEffect | OutboundEffect

/** What a fault can be set on: an operation of the service, or the publisher's callback. */
export type FaultTarget = OperationName | 'callback'

/** A stored fault. */
export interface FaultRecord {
  fault_id: string
  match: { operation: FaultTarget; scenario?: string | undefined }
  effect: FaultEffect
  /** How often it acts; undefined for without end. */
  times?: number | undefined
  /** How many matching calls pass first. */
  after?: number | undefined
  /** How likely it acts on a matching call, 0 to 1; undefined for always. */
  probability?: number | undefined
  /** How many calls matched so far. */
  matched: number
  /** How often it acted so far. */
  acted: number
}

/** All faults of a tenant, in the order of setting. */
export interface FaultStoreState {
  /** How many were ever set: their numbering goes on. */
  set: number
  faults: FaultRecord[]
}
