import type { CallbackAttempt, CallbackHold, CallbackRecord, CallbackState } from '../callbacks/callback-record.ts'
import type { EventRecord } from '../event-record.ts'
import type { LeadRecord } from '../lead-record.ts'

/** What is known of one e-mail address of one product. */
export interface CustomerRecord {
  /** The lead that has the address; undefined while none was created. */
  lead_id?: string | undefined
  /** When a rule last refused the address, milliseconds since 1970 on the tenant's clock. */
  refused_at?: number | undefined
}

/** How a try of a callback ended, and what comes next. */
export interface AttemptOutcome {
  callback_id: string
  url: string
  attempt: CallbackAttempt
  state: CallbackState
  due_at?: number | undefined
}

/** A callback that was not sent although it was due. */
export interface Postponement {
  callback_id: string
  /** When it is due now, milliseconds since 1970 on the tenant's clock. */
  due_at: number
  held: CallbackHold
}

/** Which callbacks are wanted, and for how long. A lease runs on real time: a tenant's clock may stand still. */
export interface CallbackLease {
  /** Due by then, milliseconds since 1970 on the tenant's clock. */
  due_by: number
  /** The real time, milliseconds since 1970: leases that end by then are over. */
  now: number
  /** When the lease ends, milliseconds since 1970 of real time. */
  until: number
  /** How many at the most. */
  limit: number
}

/**
 * What the engine needs remembered of one tenant. Adapters store; they decide nothing. A record that was handed
 * over is changed by nobody: it is replaced.
 */
export interface Tables {
  findCustomer(productId: string, email: string): Promise<CustomerRecord | undefined>
  /** Gives the address to the lead. False when another lead has it. Must hold under concurrent calls. */
  claimCustomer(productId: string, email: string, leadId: string): Promise<boolean>
  /** Remembers when a rule refused the address. */
  markRefused(productId: string, email: string, at: number): Promise<void>
  addLead(lead: LeadRecord): Promise<void>
  findLead(leadId: string): Promise<LeadRecord | undefined>
  /** Records the event. False when the lead has it of this advertiser already. Must hold under concurrent calls. */
  claimEvent(event: EventRecord): Promise<boolean>
  /** The events of a lead, in the order of recording. */
  listEvents(leadId: string): Promise<EventRecord[]>
  addCallback(callback: CallbackRecord): Promise<void>
  /** The callbacks of a lead, in the order of adding. */
  listCallbacks(leadId: string): Promise<CallbackRecord[]>
  /**
   * Up to `limit` pending callbacks that are due and not leased, earliest first, and leases each: no other call
   * gets it before the lease is over. Of one lead only the oldest pending callback is ever given: first in, first
   * out. One that is held as `reorder` stands outside that order: it is given when it is due, and holds nobody up.
   */
  leaseDueCallbacks(lease: CallbackLease): Promise<CallbackRecord[]>
  /** Records a try, ends the lease and what held the callback. */
  recordAttempt(outcome: AttemptOutcome): Promise<void>
  /** Puts a callback off, which is no try, and ends the lease. */
  postponeCallback(postponement: Postponement): Promise<void>
  /** Makes the pending callbacks of a lead that are held as `reorder` due at a time. */
  releaseReordered(leadId: string, due_at: number): Promise<void>
  /** When the next callback is due, on the tenant's clock; undefined when none is pending. */
  nextCallbackDue(): Promise<number | undefined>
}

/** One tenant's memory. */
export interface Storage<T extends Tables = Tables> {
  /**
   * Runs the work in one transaction: all of it is kept when it fulfils, nothing when it rejects. The promise settles
   * when that is certain. A work may be run more than once, as far as nobody saw the first outcome: it has no
   * effect but on the tables, awaits nothing else that takes long, and starts no transaction of its own.
   */
  transact<Outcome>(work: (tables: T) => Promise<Outcome>): Promise<Outcome>
}
