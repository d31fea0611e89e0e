import type { ListedTenant } from './tenant-record.ts'

/** A tenant as all processes see it at one moment. What is stored of it is untrusted. */
export interface SharedTenant extends ListedTenant {
  /** Names what the tenant has: another name once it was reset, restored, or deleted and created again. */
  readonly content: string
  /** Differs after each change of the record, and of a document that processes keep in memory. */
  readonly version: number
  /** Clock, faults and inbox, where they were written. */
  readonly documents: Readonly<Partial<Record<'clock' | 'faults' | 'inbox', unknown>>>
}

/** What was changed since the look before, by whichever process; the first look has every tenant. */
export interface SharedChanges {
  readonly tenants: readonly SharedTenant[]
  /** Content that no tenant has any more. */
  readonly gone: readonly string[]
  /** The database's clock, milliseconds since 1970. */
  readonly now: number
  /** The streams that are read in other processes. */
  readonly readElsewhere: readonly StreamOf[]
  /** What other processes stored for the streams of this one; undefined where something of it may be lost. */
  readonly events: readonly StreamEvent[] | undefined
}

/** Whose events a stream has: those of a tenant, or null for those of all. */
export type StreamOf = string | null

/** An event of a stream, as its readers get it. */
export interface StreamEvent {
  readonly type: string
  readonly tenant: string
}

/** What one process tells the others. */
export type ProcessMessage =
  /** Jobs of a tenant were done: wake what waits for it. */
  | { readonly type: 'progress'; readonly tenant: string }
  /** Something is stored for streams. */
  | { readonly type: 'published' }
  /** Commit what you have of these tenants, null for all, and answer then. */
  | { readonly type: 'question'; readonly question: number; readonly tenants: readonly StreamOf[] }
  | { readonly type: 'answer'; readonly question: number; readonly to: number }

/** What is numbered across processes. */
export type Series = 'leads' | 'callbacks' | 'requests'

/** A job that waits: of which tenant, and when the first is due on its clock. */
export interface WaitingTenant {
  readonly tenant: string
  readonly due_at: number
}

/** What keeps processes in step that share a storage. */
export interface SharedStorage {
  /** A number that no other process has. */
  readonly process: number
  /** Whatever was committed before is seen. Looks come one after the other. */
  look(): Promise<SharedChanges>
  /** Reserves numbers for one process, at least `from`; resolves to the first of them. */
  reserve(content: string, series: Series, from: number, count: number): Promise<number>
  /**
   * Has the jobs of a tenant counted that any process does from now on, one count at a time; what it resolves to ends that,
   * and resolves to how many those were.
   */
  countJobs(content: string): Promise<() => Promise<number>>
  /** Runs something while no process runs something else under this name. The lock goes with the process. */
  exclusive<Result>(name: string, run: () => Promise<Result>): Promise<Result>
  /** Tells the other processes something. It may be lost with a connection. */
  send(message: ProcessMessage): void
  /** Has a function called with what other processes tell. */
  onMessage(listener: (message: ProcessMessage, from: number) => void): void
  /** The other processes that live. One that was killed is none of them. */
  listOthers(): Promise<number[]>
  /** Says which streams this process reads, in place of what it said before: the others store their events for it. */
  readStreams(streams: readonly StreamOf[]): Promise<void>
  /** Removes what was stored for streams a while ago, and what processes said that are gone. */
  removeOld(): Promise<void>
  /** The tenants that have reports or callbacks to do which no process is delivering. */
  listWaiting(): Promise<WaitingTenant[]>
}
