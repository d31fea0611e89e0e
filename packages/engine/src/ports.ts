import type { ErrorCode, FieldIssue } from '@lead-distribution/contract'
import type { CallbackRecord, CustomerRecord, EventRecord, LeadRecord } from './lead-record.ts'

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
}

/** The source of ids. No two calls return the same one. */
export interface Ids {
  /** The id of a new lead, a UUID. */
  lead(): string | Promise<string>
  /** The id of a new callback, a UUID. */
  callback(): string | Promise<string>
}

/** The tables that the engine needs of one tenant. A stored record is never changed, only replaced. */
export interface Tables {
  /** Transactions that read the same customer are serialized, so that each sees what the one before it stored. */
  findCustomer(productId: string, email: string): Promise<CustomerRecord | undefined>
  /** Gives the address to the lead. Returns false if another lead has it. Must hold under concurrent calls. */
  claimCustomer(productId: string, email: string, leadId: string): Promise<boolean>
  /** Stores when a rule rejected the address. */
  markRefused(productId: string, email: string, at: number): Promise<void>
  addLead(lead: LeadRecord): Promise<void>
  findLead(leadId: string): Promise<LeadRecord | undefined>
  /** Records the event. Returns false if this advertiser reported it before. Must hold under concurrent calls. */
  claimEvent(event: EventRecord): Promise<boolean>
  addCallback(callback: CallbackRecord): Promise<void>
}

/** The methods of tables that change nothing: their names begin with one of these words. */
export type Reading<T> = Pick<
  T,
  Extract<keyof T, `${'find' | 'list' | 'search' | 'count' | 'next' | 'newest' | 'read'}${string}`>
>

export interface Storage<T extends Tables = Tables> {
  /**
   * Runs the work in one transaction: all of it is stored if it fulfils, nothing if it rejects. The promise settles once
   * that is certain. The work may run again from its beginning, so it must have no effect but on the tables, await nothing
   * else that takes long, and start no transaction. Transactions of one tenant may run concurrently, in other processes
   * too; the tables say which of them are serialized.
   */
  transact<Result>(work: (tables: T) => Promise<Result>): Promise<Result>
  /**
   * Runs work that only reads. It sees the tenant as of one time, with everything that was committed before, and it writes
   * and locks nothing. To change what was read, read it in the transaction that changes it. The work may run again, too.
   */
  read<Result>(work: (tables: Reading<T>) => Promise<Result>): Promise<Result>
}

export interface OperationPorts<T extends Tables = Tables> {
  readonly storage: Storage<T>
  readonly clock: Clock
  readonly ids: Ids
}

/** The operation was refused and did nothing. A `validation_error` lists every issue, field by field. */
export type Refused<Code extends ErrorCode = ErrorCode> =
  | { readonly status: 'refused'; readonly error: 'validation_error'; readonly issues: FieldIssue[] }
  | { readonly status: 'refused'; readonly error: Exclude<Code, 'validation_error'>; readonly issues?: never }

export function refusedFields(issues: FieldIssue[]): Refused<'validation_error'> {
  return { status: 'refused', error: 'validation_error', issues }
}
