import type { Account, TenantControl } from '@lead-distribution/control-client'

/** A lead as a list has it, or a rejection that created none. */
export type ListedSubmission = Awaited<ReturnType<TenantControl['submissions']['list']>>['submissions'][number]

/** A lead with all that belongs to it. */
export type Lead = Awaited<ReturnType<TenantControl['leads']['show']>>

/** A call to the service, from the journal. */
export type Call = Awaited<ReturnType<TenantControl['requests']['show']>>

/** A call as a list has it. */
export type ListedCall = Awaited<ReturnType<TenantControl['requests']['list']>>['requests'][number]

/** A callback as a list has it. */
export type ListedCallback = Awaited<ReturnType<TenantControl['callbacks']['list']>>['callbacks'][number]

/** A fault with how often it matched and acted. */
export type Fault = Awaited<ReturnType<TenantControl['faults']['list']>>['faults'][number]

/** A tenant with its account and its time, as test leads need them. */
export interface LeadContext {
  readonly tenant: string
  readonly account: Account
  /** The tenant's time when it is read. */
  readonly today: Date
}
