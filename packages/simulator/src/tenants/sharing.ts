import type { Clock, ReportPorts, Storage, SubmitPorts } from '@lead-distribution/engine'
import type { SeededIds } from '../random/seeded-random.ts'
import type { SandboxTables } from '../storage/sandbox-tables.ts'
import type { Series } from '../storage/shared-storage.ts'
import type { SharedClock } from '../time/clock.ts'

// The engine's ports of a tenant, and how they differ for each call if processes share the storage.

/** The ports of the engine for a tenant. */
export type EnginePorts = SubmitPorts<SandboxTables> & ReportPorts

/** The ids of the records that calls of a tenant add. */
export interface CallIds {
  readonly lead: SeededIds
  readonly callback: SeededIds
}

/** The sharing of tenants between processes that have one storage. */
export interface Sharing {
  /** The sharing of a tenant; `content` returns the name of its present content. */
  of(tenant: string, content: () => string | undefined): TenantSharing
  /** Loads what any process changed before. Calls that wait at the same time share one refresh. */
  refresh(): Promise<void>
}

export interface TenantSharing {
  readonly refresh: Sharing['refresh']
  /** The database's clock, by which leases run. */
  readonly leaseClock: Clock
  /** Numbers for calls, each from `following` on, which returns the number after the newest that this process knows. */
  numbers(series: Series, following: () => number): () => Promise<number>
  readonly clock: SharedClock
  /** Wakes what waits for the tenant in other processes. */
  notify(): void
}

/** The content of a shared tenant that is being opened. */
export interface OpenedShared {
  readonly sharing: Sharing
  readonly content: string
  readonly version: number
}

/** The version of a tenant that a call is decided by. */
export interface DecidedVersion {
  readonly version: number | undefined
  /** True once a transaction, or a refresh, has found that the tenant still has this version. */
  isConfirmed: boolean
}

/** Creates the ports for one call, with an id for the record that it adds. */
export type SharedPorts = (added: 'lead' | 'callback', decided?: DecidedVersion) => EnginePorts

/** Creates the ports of a tenant that processes share: the id that a call adds is reserved while its transaction begins. */
export function createSharedPorts(
  ports: EnginePorts,
  ids: CallIds,
  sharing: TenantSharing,
  checkedStorage: (version: number | undefined) => Storage<SandboxTables>,
): SharedPorts {
  /** The storage of a call whose first transaction confirms the version. */
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
    // One id for one call: a transaction that runs again has added nothing yet.
    const id = reserved[added]().then(ids[added].at)
    // A call that adds nothing does not wait for it.
    id.catch(() => undefined)
    const storage = decided && !decided.isConfirmed ? storageFor(decided) : ports.storage
    return { ...ports, storage, ids: { ...ports.ids, [added]: () => id } }
  }
}
