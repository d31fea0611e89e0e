/** One try of a callback. */
export interface CallbackAttempt {
  /** Milliseconds since 1970 on the tenant's clock. */
  at: number
  /** HTTP status of the reply, where one came. */
  status?: number
  /** Why none came, or why it does not count. */
  error?: string
  /** How long it took, milliseconds of real time. */
  ms: number
  /** How many copies went out besides, where it was duplicated on purpose. */
  copies?: number
  /** What disturbed it on purpose. */
  fault_id?: string
}

/** Where a callback stands. */
export type CallbackState = 'pending' | 'delivered' | 'failed'

/** Why a due callback was put off on purpose: to come late, or to come behind the next one of its lead. */
export type CallbackHold = 'delay' | 'reorder'

/** A notification of the publisher (Spec 6.2) as it is kept. */
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
  /** What it was put off for; it is not put off a second time before it was tried. */
  held?: CallbackHold | undefined
  /** How many tries there were when it was sent anew by hand: its retries count from there. */
  resent_after?: number | undefined
}
