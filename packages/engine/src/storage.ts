import type { CallbackRecord } from './callbacks/callback-record.ts'
import type { CustomerRecord, EventRecord, LeadRecord } from './lead-record.ts'

/**
 * What the engine stores of one tenant. Adapters store; they decide nothing. Nobody changes a record that was handed
 * over: it is replaced.
 */
export interface Tables {
  /** Works that ask for the same customer go on one after the other, so that the next sees what the one before stored. */
  findCustomer(productId: string, email: string): Promise<CustomerRecord | undefined>
  /** Gives the address to the lead. False when another lead has it. Must hold under concurrent calls. */
  claimCustomer(productId: string, email: string, leadId: string): Promise<boolean>
  /** Stores when a rule refused the address. */
  markRefused(productId: string, email: string, at: number): Promise<void>
  addLead(lead: LeadRecord): Promise<void>
  findLead(leadId: string): Promise<LeadRecord | undefined>
  /** Records the event. False when the lead has it of this advertiser already. Must hold under concurrent calls. */
  claimEvent(event: EventRecord): Promise<boolean>
  addCallback(callback: CallbackRecord): Promise<void>
}

/** The storage of one tenant. */
export interface Storage<T extends Tables = Tables> {
  /**
   * Runs the work in one transaction: all of it is kept when it fulfils, nothing when it rejects. The promise settles
   * when that is certain. A work may run more than once, as long as the first result was not seen: it has no effect but
   * on the tables, awaits nothing else that takes long, and starts no transaction. Works of one tenant may run at the
   * same time, also in other processes; the tables say what then waits for what.
   */
  transact<Result>(work: (tables: T) => Promise<Result>): Promise<Result>
}
