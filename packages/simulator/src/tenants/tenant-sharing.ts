import type { Clock } from '@lead-distribution/engine'
import type { Series, SharedStorage } from '../storage/shared-storage.ts'
import type { Timer } from '../time/clock.ts'
import type { SharedClock } from '../time/time-control.ts'

/** What the tenants of a process need where others share their storage. */
export interface Sharing {
  readonly storage: SharedStorage
  /** Takes over what any process changed before. Calls that wait together share a look. */
  refresh(): Promise<void>
  /** The database's clock, by which leases run. */
  readonly clock: Clock
}

/** What one tenant needs where processes share it. */
export interface TenantSharing {
  readonly refresh: Sharing['refresh']
  readonly leaseClock: Clock
  /** Reserves numbers, at least `from`; resolves to the first of them. */
  reserve(series: Series, from: number, count: number): Promise<number>
  readonly clock: SharedClock
  /** Wakes what waits for the tenant in other processes. */
  notify(): void
}

/** How often time control looks whether a job of another process is done, milliseconds. */
const othersMs = 50

/** The sharing of a tenant; `content` names what it has now. */
export function createTenantSharing(
  { storage, refresh, clock: leaseClock }: Sharing,
  tenant: string,
  content: () => string | undefined,
  timer: Timer,
): TenantSharing {
  return {
    refresh,
    leaseClock,
    reserve: (series, from, count) => storage.reserve(content() ?? '', series, from, count),
    clock: {
      exclusive: change =>
        storage.exclusive(`${tenant} clock`, async () => {
          await refresh()
          return change()
        }),
      waitForOthers: () => new Promise(resolve => void timer.after(othersMs, resolve)),
    },
    notify: () => storage.notify(tenant),
  }
}
