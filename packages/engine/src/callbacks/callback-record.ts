/** One try of a callback. */
export interface CallbackAttempt {
  /** Milliseconds since 1970 on the tenant's clock. */
  at: number
  /** What the receiver answered, where it did. */
  status?: number
  /** Why no answer came, or why it does not count. */
  error?: string
  /** How long it took, milliseconds of real time. */
  ms: number
}

/** The state of a callback. */
export type CallbackState = 'pending' | 'delivered' | 'failed'

/** A stored notification of the publisher (Spec 6.2). */
export interface CallbackRecord {
  callback_id: string
  lead_id: string
  /** The name it carries for the event. */
  event: string
  /** The address it goes to, `lead_id` and `event` set on it. */
  url: string
  state: CallbackState
  attempts: CallbackAttempt[]
  /** When the next try is due, milliseconds since 1970 on the tenant's clock; undefined when there is none. */
  due_at?: number | undefined
  /** How many tries there were when it was sent again by hand: its retries count from there. */
  resent_after?: number | undefined
}

/** How a try of a callback ended, and what comes next. */
export interface AttemptOutcome {
  callback_id: string
  url: string
  attempt: CallbackAttempt
  state: CallbackState
  due_at?: number | undefined
}
