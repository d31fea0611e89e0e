import type { EventStream } from '@lead-distribution/http'
import type { Timer } from '../time/clock.ts'

/** The events that a channel keeps for readers that are behind or come back. */
export interface ChannelLimits {
  readonly events: number
  /** Characters of all events together; the newest event is kept whatever its length. */
  readonly characters: number
}

/** The limits of a sandbox: some seconds of its highest rate. */
const channelLimits: ChannelLimits = { events: 4_096, characters: 2_000_000 }

/** The time that a channel outlives its reader, so that one that reconnects misses nothing, milliseconds. */
const lingerMs = 60_000

/** Events in their order, for any number of readers at once. It stores them once, not for each reader. */
export interface EventChannel {
  /** Adds an event; its data is JSON. Does nothing unless the channel {@link isWatched}. */
  add(type: string, data: string): void
  /** Returns true if it has a reader, or had one a moment ago. */
  isWatched(): boolean
  /**
   * Reads on after the event of an id, from now on without one. The first event says which: `ready`, or `reset` where
   * that event is too old to know what came after it. A reader that falls behind what is kept gets `dropped` and the end.
   */
  read(lastEventId?: string): EventReader
  /** Ends every stream, behind the events that there are. */
  end(): void
}

/** The parts that a channel works with. */
export interface ChannelOptions {
  readonly timer: Timer
  /** Makes the beginning of the ids, another one each time that the channel starts anew. */
  readonly newSeries: () => string
  /** Called when a reader is gone, and once nothing is kept any more. */
  readonly onReaderGone?: (() => void) | undefined
  readonly onIdle?: (() => unknown) | undefined
  readonly limits?: ChannelLimits
}

/** A channel without a reader. */
export function createEventChannel(options: ChannelOptions): EventChannel {
  const { timer, newSeries, onReaderGone, onIdle, limits = channelLimits } = options
  const readers = new Set<() => void>()
  let kept = createKeptEvents(newSeries(), limits)
  let watched = false
  let ended = false
  let cancelLinger: (() => void) | undefined

  function enter(wake: () => void): void {
    watched = true
    cancelLinger?.()
    readers.add(wake)
  }

  function leave(wake: () => void): void {
    if (!readers.delete(wake)) return
    onReaderGone?.()
    if (readers.size > 0 || ended) return
    cancelLinger = timer.after(lingerMs, () => {
      watched = false
      kept = createKeptEvents(newSeries(), limits)
      onIdle?.()
    })
  }

  function wakeAll(): void {
    for (const wake of readers) wake()
  }

  return {
    isWatched: () => watched,
    add(type, data) {
      if (!watched) return
      kept.add(type, data)
      wakeAll()
    },
    read(lastEventId) {
      const events = kept
      const after = lastEventId === undefined ? undefined : events.placeOf(lastEventId)
      const isReset = lastEventId !== undefined && after === undefined
      const place = after ?? events.newest()
      const first = isReset ? messages.reset : messages.ready
      return createEventReader({
        first: eventText(first.type, JSON.stringify(first), events.idOf(place)),
        take: createTaker(events, place),
        hasEnded: () => ended,
        enter,
        leave,
        timer,
      })
    },
    end() {
      ended = true
      watched = false
      cancelLinger?.()
      wakeAll()
    },
  }
}

/** The newest events of a series, each with its place, from 1. */
function createKeptEvents(series: string, limits: ChannelLimits) {
  const texts: string[] = []
  let characters = 0
  let first = 1
  const newest = () => first + texts.length - 1
  const idOf = (place: number) => `${series}-${place}`
  return {
    newest,
    idOf,
    /** The place of an event after which nothing is missing; undefined where there is none. */
    placeOf(id: string): number | undefined {
      const place = Number(id.slice(series.length + 1))
      return id === idOf(place) && place >= first - 1 && place <= newest() ? place : undefined
    },
    add(type: string, data: string): void {
      const text = eventText(type, data, idOf(newest() + 1))
      texts.push(text)
      characters += text.length
      while (texts.length > limits.events || (characters > limits.characters && texts.length > 1)) {
        characters -= texts.shift()?.length ?? 0
        first += 1
      }
    },
    /** All events after a place; undefined where some of them are gone. */
    after: (place: number) => (place < first - 1 ? undefined : texts.slice(place - first + 1).join('')),
  }
}

/** Takes what is new since the last time: undefined where some of it is gone. */
function createTaker(events: ReturnType<typeof createKeptEvents>, from: number) {
  let place = from
  return () => {
    const text = events.after(place)
    place = events.newest()
    return text
  }
}

/** The heartbeat interval of a stream, milliseconds: proxies cut connections that are silent for a minute. */
const heartbeatMs = 15_000

/** A stream of which its reader may stop. */
export interface EventReader extends EventStream, AsyncIterator<string> {
  next(): Promise<IteratorResult<string>>
  return(): Promise<IteratorResult<string>>
}

const messages = {
  ready: { type: 'ready' },
  reset: {
    type: 'reset',
    reason: 'Events after your last id are gone. Reload.',
  },
  dropped: {
    type: 'dropped',
    reason: 'Reader too slow. Reconnect with `Last-Event-ID`.',
  },
} as const

/** An event in the form of the HTML standard's event streams. JSON has no line break. */
function eventText(type: string, data: string, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${data}\n\n`
}

/** The parts that a reader works with. */
interface EventReaderOptions {
  readonly first: string
  readonly take: () => string | undefined
  readonly hasEnded: () => boolean
  readonly enter: (wake: () => void) => void
  readonly leave: (wake: () => void) => void
  readonly timer: Timer
}

/** A stream that holds no more than its place: what it has not read yet is the channel's. */
function createEventReader({ first, take, hasEnded, enter, leave, timer }: EventReaderOptions): EventReader {
  let waiting = Promise.withResolvers<void>()
  let unread = first
  let over = false
  let cancelHeartbeat: () => void
  const wake = () => waiting.resolve()

  function beatLater(): void {
    cancelHeartbeat = timer.after(heartbeatMs, () => {
      unread ||= ': still here\n\n'
      wake()
      beatLater()
    })
  }

  function stop(): void {
    over = true
    cancelHeartbeat()
    leave(wake)
    wake()
  }

  function takeUnread(): string {
    if (over) return ''
    const news = take()
    const text = unread + (news ?? eventText('dropped', JSON.stringify(messages.dropped)))
    unread = ''
    if (news === undefined || hasEnded()) stop()
    return text
  }

  enter(wake)
  beatLater()
  const reader: EventReader = {
    [Symbol.asyncIterator]: () => reader,
    async next() {
      for (;;) {
        waiting = Promise.withResolvers()
        const value = takeUnread()
        if (value !== '') return { done: false, value }
        if (over) return { done: true, value: undefined }
        await waiting.promise
      }
    },
    async return() {
      stop()
      return { done: true, value: undefined }
    },
  }
  return reader
}
