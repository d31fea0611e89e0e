import type { Clock } from '@lead-distribution/engine'
import type { Timer } from '../time/clock.ts'
import { createEventChannel, type EventChannel } from './event-channel.ts'
import type { EventReader } from './event-reader.ts'
import type { Change, Feed } from './observe-storage.ts'

/** How many streams there are at once at most, of all tenants together. */
export const maxStreams = 100

/** The events of all tenants, as the control plane streams them. */
export interface EventHub {
  /** Where the changes of a tenant are published; `clock` is its own. */
  of(tenant: string, clock: Clock): Feed
  /**
   * Reads the events of a tenant, or of all where none is named, from now on or after the event of an id. Undefined where
   * there are {@link maxStreams} already. What a transaction changes that began before may be missing.
   */
  read(tenant?: string, lastEventId?: string): EventReader | undefined
  /** Ends the streams of a tenant that was deleted. */
  remove(tenant: string): void
  /** Ends all streams. */
  end(): void
}

/** What a hub is made of. */
export interface EventHubOptions {
  readonly timer: Timer
  /** Real time: the ids of two runs of a sandbox differ by it. */
  readonly clock: Clock
  /** The data of an event, beside its type, tenant and time. */
  readonly show: (change: Change, realNow: number) => object
}

/** A hub that nobody reads. */
export function createEventHub({ timer, clock, show }: EventHubOptions): EventHub {
  const startedAt = clock.now().toString(36)
  const channels = new Map<string, EventChannel>()
  let series = 0
  let streams = 0
  const newSeries = () => `${startedAt}-${++series}`
  const onReaderGone = () => {
    streams -= 1
  }
  const ofAll = createEventChannel({ timer, newSeries, onReaderGone })

  function channelOf(tenant: string): EventChannel {
    const existing = channels.get(tenant)
    if (existing) return existing
    // Another tenant may have the name by then.
    const onIdle = () => channels.get(tenant) === channel && channels.delete(tenant)
    const channel = createEventChannel({ timer, newSeries, onReaderGone, onIdle })
    channels.set(tenant, channel)
    return channel
  }

  return {
    of(tenant, tenantClock) {
      return {
        isWatched: () => ofAll.isWatched() || channels.has(tenant),
        publish(changes) {
          const own = channels.get(tenant)
          for (const change of changes) {
            const { type } = change
            const at = new Date(tenantClock.now()).toISOString()
            const data = JSON.stringify({ type, tenant, at, ...show(change, clock.now()) })
            own?.add(type, data)
            ofAll.add(type, data)
          }
        },
      }
    },
    read(tenant, lastEventId) {
      if (streams >= maxStreams) return undefined
      streams += 1
      return (tenant === undefined ? ofAll : channelOf(tenant)).read(lastEventId)
    },
    remove(tenant) {
      channels.get(tenant)?.end()
      channels.delete(tenant)
    },
    end() {
      for (const channel of [ofAll, ...channels.values()]) channel.end()
    },
  }
}
