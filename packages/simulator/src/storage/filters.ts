import type { CallbackState, CustomerRecord, LeadRecord } from '@lead-distribution/engine'

/** Which leads are wanted, newest first. */
export interface LeadFilter {
  readonly status?: LeadRecord['status'] | undefined
  /** In lower case. Finds the leads that claimed it, and those that were rejected. */
  readonly email?: string | undefined
  /** Only leads that are older than this one. */
  readonly before?: string | undefined
  readonly limit: number
}

/** Which leads are searched for, newest first, among the next ones of a list. */
export interface LeadSearch {
  readonly status?: LeadRecord['status'] | undefined
  readonly reason?: LeadRecord['rejection_reason']
  readonly product_id?: string | undefined
  /** The whole address, in lower case. */
  readonly email?: string | undefined
  /** A part of it; not with the whole. */
  readonly email_part?: string | undefined
  /** Received at this time or later, milliseconds since 1970 on the tenant's clock. */
  readonly from?: number | undefined
  /** Received before this time. */
  readonly to?: number | undefined
  /** Only leads that are older than this one. */
  readonly before?: string | undefined
  /** How many leads are looked at: a search that finds nothing ends all the same. */
  readonly rows: number
  /** How many are found at most. */
  readonly limit: number
}

/** What a search found, and the lead that the next one goes on before; undefined where there are no more leads. */
export interface FoundLeads {
  readonly leads: readonly LeadRecord[]
  readonly next: string | undefined
}

/** Which callbacks are wanted, newest first. */
export interface CallbackFilter {
  readonly lead_id?: string | undefined
  readonly state?: CallbackState | undefined
  /** Only callbacks that are older than this one. */
  readonly before?: string | undefined
  readonly limit: number
}

/**
 * Which callbacks are leased, and for how long. A lease runs on real time that nobody sets: a tenant's clock may be
 * frozen, and the machine's set back.
 */
export interface CallbackLease {
  /** Due by then, milliseconds since 1970 on the tenant's clock. */
  due_by: number
  /** The real time, milliseconds: leases that end by then are over. */
  now: number
  /** When the lease ends, milliseconds of the same time. */
  until: number
  /** How many at most. */
  limit: number
}

/** An address of a product, with what is known of it. */
export interface ListedCustomer extends CustomerRecord {
  product_id: string
  email: string
}
