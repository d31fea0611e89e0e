import type { ErrorCode, FieldIssue } from '@lead-distribution/contract'
import type { CallbackRecord, CustomerRecord, EventRecord, LeadRecord } from './lead-record.ts'

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
}

/** The source of ids. Every call returns a different id. */
export interface Ids {
  /** Returns the id of a new lead, a UUID. */
  lead(): string | Promise<string>
  /** Returns the id of a new callback, a UUID. */
  callback(): string | Promise<string>
}

/** The tenant's tables that the engine needs. Stored records are immutable: they are replaced, never changed. */
export interface Tables {
  /** Transactions that read the same customer are serialized, so each sees what the previous one stored. */
  findCustomer(productId: string, email: string): Promise<CustomerRecord | undefined>
  /** Claims the address for the lead. Returns false if another lead owns it. Must hold under concurrent calls. */
  claimCustomer(productId: string, email: string, leadId: string): Promise<boolean>
  /** Stores the time when a rule rejected the address. */
  markRefused(productId: string, email: string, at: number): Promise<void>
  addLead(lead: LeadRecord): Promise<void>
  findLead(leadId: string): Promise<LeadRecord | undefined>
  /** Records the event. Returns false if this advertiser reported it before. Must hold under concurrent calls. */
  claimEvent(event: EventRecord): Promise<boolean>
  addCallback(callback: CallbackRecord): Promise<void>
}

/** The read-only methods of tables: their names begin with one of these words. */
export type Reading<T> = Pick<
  T,
  Extract<keyof T, `${'find' | 'list' | 'search' | 'count' | 'next' | 'newest' | 'read'}${string}`>
>

export interface Storage<T extends Tables = Tables> {
  /**
   * Runs the work in one transaction: commits if it resolves, and stores nothing if it rejects. The promise settles
   * once the result is final. The work may be retried from the start, so it must have no side effects outside the
   * tables, await nothing slow, and start no transaction. A tenant's transactions may run concurrently, in other
   * processes too; the tables specify which of them are serialized.
   */
  transact<Result>(work: (tables: T) => Promise<Result>): Promise<Result>
  /**
   * Runs read-only work on a snapshot that includes everything committed before. It writes and locks nothing. To change
   * what was read, read it again in the transaction that changes it. The work may be retried, too.
   */
  read<Result>(work: (tables: Reading<T>) => Promise<Result>): Promise<Result>
}

export interface OperationPorts<T extends Tables = Tables> {
  readonly storage: Storage<T>
  readonly clock: Clock
  readonly ids: Ids
}

/** A refused operation, which did nothing. A `validation_error` lists every issue, field by field. */
export type Refused<Code extends ErrorCode = ErrorCode> =
  | { readonly status: 'refused'; readonly error: 'validation_error'; readonly issues: FieldIssue[] }
  | { readonly status: 'refused'; readonly error: Exclude<Code, 'validation_error'>; readonly issues?: never }

export function refusedFields(issues: FieldIssue[]): Refused<'validation_error'> {
  return { status: 'refused', error: 'validation_error', issues }
}
