import type { Clock } from '@lead-distribution/engine'
import { createSharedNumbers } from '../random/shared-numbers.ts'
import type { Series, SharedStorage, StreamOf } from '../storage/shared-storage.ts'
import type { Timer } from '../time/clock.ts'
import type { SharedClock } from '../time/time-control.ts'

/** What the tenants of a process need where others share their storage. */
export interface Sharing {
  /** The sharing of a tenant; `content` names what it has now. */
  of(tenant: string, content: () => string | undefined): TenantSharing
  /** Takes over what any process changed before. Calls that wait together share a look. */
  refresh(): Promise<void>
  /**
   * Resolves once each other process has committed what it did to a tenant before, null for all, and stores from then on
   * what the streams of this process show.
   */
  settleElsewhere(tenant: StreamOf): Promise<void>
}

/** What one tenant needs where processes share it. */
export interface TenantSharing {
  readonly refresh: Sharing['refresh']
  /** Resolves once each other process has committed what it did to the tenant before. */
  settleElsewhere(): Promise<void>
  /** The database's clock, by which leases run. */
  readonly leaseClock: Clock
  /** Numbers for calls, each from `following` on, where that is the number after the newest that this process knows. */
  numbers(series: Series, following: () => number): () => Promise<number>
  /** Reserves numbers, at least `from`; resolves to the first of them. */
  reserve(series: Series, from: number, count: number): Promise<number>
  readonly clock: SharedClock
  /** Wakes what waits for the tenant in other processes. */
  notify(): void
}

/** How often time control looks whether a job of another process is done, milliseconds. */
const othersMs = 50

/** What the sharing of a tenant works on. */
export interface TenantSharingOptions extends Omit<Sharing, 'of'>, Pick<TenantSharing, 'leaseClock'> {
  readonly storage: SharedStorage
  readonly timer: Timer
}

/** The sharing of a tenant; `content` names what it has now. */
export function createTenantSharing(
  { storage, refresh, settleElsewhere, leaseClock, timer }: TenantSharingOptions,
  tenant: string,
  content: () => string | undefined,
): TenantSharing {
  const reserve: TenantSharing['reserve'] = (series, from, count) =>
    storage.reserve(content() ?? '', series, from, count)
  return {
    refresh,
    settleElsewhere: () => settleElsewhere(tenant),
    leaseClock,
    reserve,
    numbers: (series, following) => createSharedNumbers(count => reserve(series, following(), count)),
    clock: {
      exclusive: change =>
        storage.exclusive(`${tenant} clock`, async () => {
          await refresh()
          return change()
        }),
      countJobs: () => storage.countJobs(content() ?? ''),
      waitForOthers: () => new Promise(resolve => void timer.after(othersMs, resolve)),
    },
    notify: () => storage.send({ type: 'progress', tenant }),
  }
}
