import type { Account, TenantControl } from '@lead-distribution/control-client'

/** A lead in a list, or a rejection without a lead. */
export type ListedSubmission = Awaited<ReturnType<TenantControl['submissions']['list']>>['submissions'][number]

/** Returns the path of a lead, or of the request that was rejected without a lead. */
export const pathOf = ({ lead_id, request_id }: Pick<ListedSubmission, 'lead_id' | 'request_id'>) =>
  lead_id === undefined ? `requests/${request_id}` : `leads/${lead_id}`

/** A lead with its related records. */
export type Lead = Awaited<ReturnType<TenantControl['leads']['show']>>

/** A field, with a value that passes the check that rejected the lead. */
export type PassingValue = NonNullable<Lead['passes_with']>

/** A request to the service, from the journal. */
export type JournalEntry = Awaited<ReturnType<TenantControl['requests']['show']>>

/** A request in a list. */
export type ListedEntry = Awaited<ReturnType<TenantControl['requests']['list']>>['requests'][number]

/** A callback in a list. */
export type ListedCallback = Awaited<ReturnType<TenantControl['callbacks']['list']>>['callbacks'][number]

/** A fault with its counts of matches and effects. */
export type Fault = Awaited<ReturnType<TenantControl['faults']['list']>>['faults'][number]

/** A tenant's account and time, for test leads. */
export interface LeadContext {
  readonly account: Account
  /** The tenant's time when read. */
  readonly today: Date
}
