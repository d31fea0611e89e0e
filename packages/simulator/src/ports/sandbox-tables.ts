import type { CallbackRecord, CallbackState, LeadRecord, Tables } from '@lead-distribution/engine'
import type { InboxEntry } from '../callbacks/inbox-entry.ts'
import type { RequestRecord } from '../journal/request-record.ts'
import type { ScheduledReport } from '../lifecycle/scheduled-report.ts'
import type { TenantDocuments } from '../tenants/tenant-documents.ts'

/** Which leads are wanted, newest first. */
export interface LeadFilter {
  readonly status?: LeadRecord['status'] | undefined
  /** In lower case. */
  readonly email?: string | undefined
  /** Only leads that are older than this one. */
  readonly before?: string | undefined
  readonly limit: number
}

/** Which callbacks are wanted, newest first. */
export interface CallbackFilter {
  readonly lead_id?: string | undefined
  readonly state?: CallbackState | undefined
  /** Only callbacks that are older than this one. */
  readonly before?: string | undefined
  readonly limit: number
}

/** What the sandbox needs remembered of one tenant besides what the engine does. Adapters store; they decide nothing. */
export interface SandboxTables extends Tables {
  listLeads(filter: LeadFilter): Promise<LeadRecord[]>
  findCallback(callbackId: string): Promise<CallbackRecord | undefined>
  listAllCallbacks(filter: CallbackFilter): Promise<CallbackRecord[]>
  /** How many callbacks are pending. */
  countPendingCallbacks(): Promise<number>
  /**
   * Makes a callback of any state pending and due at a time, held by nothing, its retries counted anew. A lease on
   * it ends.
   */
  requeueCallback(callbackId: string, due_at: number): Promise<void>

  addReport(report: ScheduledReport): Promise<void>
  /** The reports that are due by a time on the tenant's clock, earliest first, equal times in the order of adding. */
  listDueReports(due_by: number, limit: number): Promise<ScheduledReport[]>
  removeReport(reportId: string): Promise<void>
  /** When the next report is due; undefined where none waits. */
  nextReportDue(): Promise<number | undefined>
  countReports(): Promise<number>

  /** How often a chain of scenarios was played under a key; 0 where it never was. */
  readChain(key: string): Promise<number>
  /** Sets how often it was. */
  setChain(key: string, plays: number): Promise<void>

  addInboxEntry(entry: InboxEntry): Promise<void>
  /** What the tenant's inbox took, oldest first. */
  listInbox(): Promise<InboxEntry[]>
  /** Forgets the oldest entries of the inbox, so that this many are left. */
  trimInbox(keep: number): Promise<void>

  /** Adds requests to the journal: in the order of their numbers, all above those that are there. */
  addRequests(requests: readonly RequestRecord[]): Promise<void>
  /**
   * Some of the newest requests with a number below `before`, newest first; none where there are no more. How many
   * is the adapter's choice.
   */
  readRequests(before?: number): Promise<RequestRecord[]>
  /** Forgets requests with a number below this one; a few of them may stay where it is cheaper. */
  trimRequests(below: number): Promise<void>

  /** All documents that were written. */
  readDocuments(): Promise<Partial<TenantDocuments>>
  writeDocument<Name extends keyof TenantDocuments>(name: Name, value: TenantDocuments[Name]): Promise<void>
}
