import type { OperationName } from '@lead-distribution/contract/shapes'

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
