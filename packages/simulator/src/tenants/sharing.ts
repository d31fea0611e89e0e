import type { Clock, ReportPorts, Storage, SubmitPorts } from '@lead-distribution/engine'
import type { SeededIds } from '../random/seeded-random.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import type { Series } from '../storage/shared-storage.ts'
import type { SharedClock } from '../time/clock.ts'

// A tenant's engine ports, and how each call gets its own if processes share the storage.

/** A tenant's engine ports. */
export type EnginePorts = SubmitPorts<SandboxTables> & ReportPorts

/** The ids of the records that a tenant's calls add. */
export interface CallIds {
  readonly lead: SeededIds
  readonly callback: SeededIds
}

/** The sharing of tenants between processes with a common storage. */
export interface Sharing {
  /** Returns a tenant's sharing. `content` returns the identifier of its current content. */
  of(tenant: string, content: () => string | undefined): TenantSharing
  /** Loads all processes' changes. Concurrent calls are coalesced. */
  refresh(): Promise<void>
}

export interface TenantSharing {
  readonly refresh: Sharing['refresh']
  /** The database's clock, used for leases. */
  readonly leaseClock: Clock
  /**
   * Returns a function that reserves a number for each call. `following` returns the number after the newest one that
   * this process knows.
   */
  numbers(series: Series, following: () => number): () => Promise<number>
  readonly clock: SharedClock
  /** Wakes the tenant's waiters in other processes. */
  notify(): void
}

/** The sharing, content and version of a tenant to open. */
export interface OpenedShared {
  readonly sharing: Sharing
  readonly content: string
  readonly version: number
}

/** The tenant version that a call is decided on. */
export interface DecidedVersion {
  readonly version: number | undefined
  /** True once a transaction or a refresh has confirmed the version. */
  isConfirmed: boolean
}

/** Creates the ports for one call, with an id for the record that it adds. */
export type SharedPorts = (added: 'lead' | 'callback', decided?: DecidedVersion) => EnginePorts

/**
 * Creates the ports of a shared tenant. The id of a call's record is reserved in parallel with the start of its
 * transaction.
 */
export function createSharedPorts(
  ports: EnginePorts,
  ids: CallIds,
  sharing: TenantSharing,
  checkedStorage: (version: number | undefined) => Storage<SandboxTables>,
): SharedPorts {
  /** Returns a storage for a call. Its first transaction confirms the version. */
  function storageFor(decided: DecidedVersion): Storage<SandboxTables> {
    const { transact, read } = checkedStorage(decided.version)
    return {
      read,
      async transact(work) {
        const result = await transact(work)
        decided.isConfirmed = true
        return result
      },
    }
  }

  const reserved = {
    lead: sharing.numbers('leads', ids.lead.following),
    callback: sharing.numbers('callbacks', ids.callback.following),
  }
  return (added, decided) => {
    // One id per call: a retried transaction has added nothing yet.
    const id = reserved[added]().then(ids[added].at)
    // A call that adds nothing never awaits the id.
    id.catch(() => undefined)
    const storage = decided && !decided.isConfirmed ? storageFor(decided) : ports.storage
    return { ...ports, storage, ids: { ...ports.ids, [added]: () => id } }
  }
}
