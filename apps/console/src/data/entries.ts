import type { Account, TenantControl } from '@lead-distribution/control-client'

/** A lead as a list has it, or a rejection that created none. */
export type ListedSubmission = Awaited<ReturnType<TenantControl['submissions']['list']>>['submissions'][number]

/** A lead with all that belongs to it. */
export type Lead = Awaited<ReturnType<TenantControl['leads']['show']>>

/** A call to the service, from the journal. */
export type Call = Awaited<ReturnType<TenantControl['requests']['show']>>

/** A fault with how often it matched and acted. */
export type Fault = Awaited<ReturnType<TenantControl['faults']['list']>>['faults'][number]

/** A tenant with its account and its time, as test leads need them. */
export interface Context {
  readonly tenant: string
  readonly account: Account
  readonly today: Date
}
