import type { Clock } from '@lead-distribution/engine'
import type { SharedStorage, StreamEvent, StreamOf } from '../storage/shared-storage.ts'
import type { Timer } from '../time/clock.ts'
import { createEventChannel, type EventChannel } from './event-channel.ts'
import type { EventReader } from './event-reader.ts'
import type { Change, Feed } from './observe-storage.ts'

/** How many streams of one tenant there are at once at most, and how many of all tenants, which only the operator reads. */
export const maxStreams = 100

/** How long publications are gathered into one message to the other processes, milliseconds. */
const tellMs = 10

/** The events of all tenants, as the control plane streams them. */
export interface EventHub {
  /** Where the changes of a tenant are published; `clock` is its own. */
  of(tenant: string, clock: Clock): Feed
  /**
   * Reads the events of a tenant, or of all, from now on or after the event of an id. Undefined where it has
   * {@link maxStreams} readers already. What a transaction changes that began before may be missing.
   */
  read(stream: StreamOf, lastEventId?: string): EventReader | undefined
  /** How many streams are read. */
  readers(): number
  /** The streams that are read, or were a moment ago. */
  streams(): StreamOf[]
  /** Which streams are read in other processes. */
  readElsewhere(streams: readonly StreamOf[]): void
  /** Adds what other processes published. */
  take(events: readonly StreamEvent[]): void
  /** Ends the streams of a tenant. */
  remove(tenant: string): void
  /** Ends all streams, because something is missing in them: their readers come back and get `reset`. */
  restart(): void
  /** Ends all streams for good. */
  end(): void
}

/** What a hub is made of. */
export interface EventHubOptions {
  readonly timer: Timer
  /** Real time: the ids of two runs of a sandbox differ by it. */
  readonly clock: Clock
  /** The data of an event, beside its type, tenant and time. */
  readonly show: (change: Change, realNow: number) => object
  /** Where other processes may read what this one publishes. */
  readonly shared?: Pick<SharedStorage, 'process' | 'send'> | undefined
}

/** A hub that nobody reads. */
export function createEventHub({ timer, clock, show, shared }: EventHubOptions): EventHub {
  const startedAt = clock.now().toString(36)
  const channels = new Map<StreamOf, EventChannel>()
  const others = createOtherReaders(timer, shared)
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
      isWatched: () => reads(channels, tenant) || others.read(tenant),
      storedBy: () => (others.read(tenant) ? shared?.process : undefined),
      eventsOf(changes) {
        const at = new Date(tenantClock.now()).toISOString()
        return changes.map(change => ({ type: change.type, tenant, at, ...show(change, clock.now()) }))
      },
      publish(events) {
        take(events)
        if (others.read(tenant)) others.tell()
      },
    }),
    read(stream, lastEventId) {
      if (readers.of(stream) >= maxStreams) return undefined
      readers.add(stream, 1)
      const channel = channelOf(stream)
      if (ended) channel.end()
      return channel.read(lastEventId)
    },
    readers: readers.all,
    streams: () => [...channels.keys()],
    readElsewhere: others.replace,
    take,
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

/** How many readers each stream has. */
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

/** What other processes read, as far as this one has seen. */
function createOtherReaders(timer: Timer, shared: EventHubOptions['shared']) {
  let streams: ReadonlySet<StreamOf> = new Set()
  let telling = false
  return {
    read: (tenant: string) => reads(streams, tenant),
    replace(read: readonly StreamOf[]) {
      streams = new Set(read)
    },
    /** Tells them that there is something to read. */
    tell() {
      if (telling) return
      telling = true
      timer.after(tellMs, () => {
        telling = false
        shared?.send({ type: 'published' })
      })
    },
  }
}
