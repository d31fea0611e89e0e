import type { Clock } from '@lead-distribution/engine'
import type { StreamEvent, StreamOf } from '../storage/shared-storage.ts'
import type { Timer } from '../time/clock.ts'
import { createEventChannel, type EventChannel, type EventReader } from './event-channel.ts'
import type { Change, Feed } from './observe-storage.ts'

/** The largest number of open streams of one tenant, and of those of all tenants, which only the operator reads. */
export const maxStreams = 100

/** The events of all tenants, as the control plane streams them. */
export interface EventHub {
  /** Publishes the changes of a tenant; `clock` is the tenant's. */
  of(tenant: string, clock: Clock): Feed
  /**
   * Reads the events of a tenant, or of all, from now on or after the event of an id. Undefined where it has
   * {@link maxStreams} readers already. What a transaction changes that began before may be missing.
   */
  read(stream: StreamOf, lastEventId?: string): EventReader | undefined
  readers(): number
  /** True if a stream is read, or was a moment ago. */
  isRead(): boolean
  /** Adds what was found in the rows of a shared storage. */
  take(events: readonly StreamEvent[]): void
  /** Calls a function when this process has stored something for streams. */
  onStored(listener: () => void): void
  remove(tenant: string): void
  /** Ends all streams, because something is missing in them: their readers come back and get `reset`. */
  restart(): void
  /** Ends all streams for good. */
  end(): void
}

/** The parts that a hub works with. */
export interface EventHubOptions {
  readonly timer: Timer
  /** Real time: the ids of two runs of a sandbox differ by it. */
  readonly clock: Clock
  /** The data of an event, beside its type, tenant and time. */
  readonly show: (change: Change, realNow: number) => object
  /** True if processes share the storage: what is stored for streams then comes from there, whoever stored it. */
  readonly isShared?: boolean | undefined
}

/** A hub that nobody reads. */
export function createEventHub({ timer, clock, show, isShared = false }: EventHubOptions): EventHub {
  const startedAt = clock.now().toString(36)
  const channels = new Map<StreamOf, EventChannel>()
  let onStored = () => {}
  let series = 0
  const readers = createReaderCounts()
  let ended = false
  const newSeries = () => `${startedAt}-${++series}`

  function channelOf(stream: StreamOf): EventChannel {
    const existing = channels.get(stream)
    if (existing) return existing
    // Another tenant may have the name by then.
    const onIdle = () => channels.get(stream) === channel && channels.delete(stream)
    const onReaderGone = () => readers.add(stream, -1)
    const channel = createEventChannel({ timer, newSeries, onReaderGone, onIdle })
    channels.set(stream, channel)
    return channel
  }

  function take(events: readonly StreamEvent[]): void {
    for (const event of events) {
      if (!reads(channels, event.tenant)) continue
      const data = JSON.stringify(event)
      for (const stream of [event.tenant, null]) channels.get(stream)?.add(event.type, data)
    }
  }

  function restart(): void {
    for (const channel of channels.values()) channel.end()
    channels.clear()
  }

  return {
    of: (tenant, tenantClock) => ({
      isWatched: () => isShared || reads(channels, tenant),
      stored: isShared ? () => onStored() : undefined,
      eventsOf(changes) {
        const at = new Date(tenantClock.now()).toISOString()
        return changes.map(change => ({ type: change.type, tenant, at, ...show(change, clock.now()) }))
      },
      publish: take,
    }),
    read(stream, lastEventId) {
      if (readers.of(stream) >= maxStreams) return undefined
      readers.add(stream, 1)
      const channel = channelOf(stream)
      if (ended) channel.end()
      return channel.read(lastEventId)
    },
    readers: readers.all,
    isRead: () => channels.size > 0,
    take,
    onStored(listener) {
      onStored = listener
    },
    remove(tenant) {
      channels.get(tenant)?.end()
      channels.delete(tenant)
    },
    restart,
    end() {
      ended = true
      restart()
    },
  }
}

const reads = (streams: Pick<ReadonlySet<StreamOf>, 'has'>, tenant: string) => streams.has(null) || streams.has(tenant)

function createReaderCounts() {
  const counts = new Map<StreamOf, number>()
  const of = (stream: StreamOf) => counts.get(stream) ?? 0
  return {
    of,
    all: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
    add(stream: StreamOf, change: 1 | -1): void {
      const count = of(stream) + change
      if (count > 0) counts.set(stream, count)
      else counts.delete(stream)
    },
  }
}
