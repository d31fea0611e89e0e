import type { Clock, EventRecord, LeadRecord } from '@lead-distribution/engine'
import type { EventStream } from '@lead-distribution/http'
import type { BackendResponse, FaultRecord, InboxMode, RequestRecord, SandboxCallback } from '../storage/records.ts'
import type { StreamEvent, StreamOf } from '../storage/shared-storage.ts'
import type { Holding } from '../storage/tenant-record.ts'
import type { ClockState, Timer } from '../time/clock.ts'

/** A change that streams show as an event. */
export type Change =
  | { readonly type: 'lead'; readonly change: 'submitted'; readonly lead: LeadRecord }
  | { readonly type: 'lead'; readonly change: 'reported'; readonly event: EventRecord }
  | {
      readonly type: 'lead'
      readonly change: 'handed_over'
      readonly lead_id: string
      readonly advertiser_id: string
      /** The response of the advertiser's back end. */
      readonly backend: BackendResponse
    }
  | { readonly type: 'callback'; readonly callback: SandboxCallback; readonly holding: Holding }
  | { readonly type: 'call'; readonly request: RequestRecord }
  | { readonly type: 'clock'; readonly clock: ClockState }
  | { readonly type: 'fault'; readonly faults: readonly FaultRecord[] }
  | { readonly type: 'inbox'; readonly inbox: InboxMode }
  | { readonly type: 'tenant'; readonly change: 'created' | 'changed' | 'restored' | 'deleted' }

/** The largest number of open streams of one tenant, and of those of all tenants, which only the operator reads. */
export const maxStreams = 100

/** The largest number of events that a stream keeps: some seconds of the highest rate. */
const maxEvents = 4_096

/** The largest number of characters of all its events; the newest event is kept whatever its length. */
const maxCharacters = 2_000_000

/** The time that a stream outlives its last reader, so that one that reconnects misses nothing, milliseconds. */
const lingerMs = 60_000

/** The heartbeat interval of a stream, milliseconds: proxies cut connections that are silent for a minute. */
const heartbeatMs = 15_000

/** The streams of events of all tenants. */
export interface EventStreams {
  /** True if processes share the storage: events are stored with what they tell of, and each process reads them there. */
  readonly isMultiProcess: boolean
  /** Returns true if the changes of a tenant have to be noted. */
  isWatched(tenant: string): boolean
  /** Returns true if a stream is read, or was a moment ago. */
  isRead(): boolean
  /** Returns the events of a tenant's changes. */
  eventsOf(of: { readonly tenant: string; readonly clock: Clock }, changes: readonly Change[]): readonly StreamEvent[]
  /** Adds events to the streams of this process. */
  add(events: readonly StreamEvent[]): void
  /** Adds the events of a transaction once it is committed; where the storage is shared, says that they are stored. */
  addCommitted(events: readonly StreamEvent[]): void
  /** Calls a function when this process has stored something for streams. */
  onStored(listener: () => void): void
  /**
   * Reads the events of a tenant, or of all, from now on or after the event of an id. Undefined where it has
   * {@link maxStreams} readers already. Changes of a transaction that began before may be missing.
   */
  read(stream: StreamOf, lastEventId?: string): EventReader | undefined
  /** The number of open streams. */
  readers(): number
  /** Ends the streams of a tenant. */
  remove(tenant: string): void
  /** Ends all streams, because something is missing in them: their readers come back and get `reset`. */
  restart(): void
  /** Ends all streams for good. */
  end(): void
}

export interface EventStreamsOptions {
  readonly timer: Timer
  /** Real time: the ids of two runs of a sandbox differ by it. */
  readonly clock: Clock
  /** Returns the data of an event, beside its type, tenant and time. */
  readonly show: (change: Change, realNow: number) => object
  readonly isMultiProcess?: boolean | undefined
}

/** Creates streams that nobody reads. */
export function createEventStreams({ timer, clock, show, isMultiProcess = false }: EventStreamsOptions): EventStreams {
  const startedAt = clock.now().toString(36)
  const buffers = new Map<StreamOf, EventBuffer>()
  /** The streams of the open readers, each as often as it is read. An ended one counts until its reader has read it. */
  const readers: StreamOf[] = []
  let series = 0
  let hasEnded = false
  let onStored = () => {}

  const hasBuffer = (tenant: string) => buffers.has(null) || buffers.has(tenant)

  function add(events: readonly StreamEvent[]): void {
    for (const event of events) {
      if (!hasBuffer(event.tenant)) continue
      const data = JSON.stringify(event)
      for (const stream of [event.tenant, null]) buffers.get(stream)?.add(event.type, data)
    }
  }

  function remove(stream: StreamOf): void {
    buffers.get(stream)?.end()
    buffers.delete(stream)
  }

  function restart(): void {
    for (const stream of [...buffers.keys()]) remove(stream)
  }

  function leave(stream: StreamOf, buffer: EventBuffer): void {
    readers.splice(readers.indexOf(stream), 1)
    if (buffer.readers.size > 0 || buffer.hasEnded) return
    buffer.cancelLinger = timer.after(lingerMs, () => remove(stream))
  }

  return {
    isMultiProcess,
    isWatched: tenant => isMultiProcess || hasBuffer(tenant),
    isRead: () => buffers.size > 0,
    eventsOf({ tenant, clock: tenantClock }, changes) {
      const at = new Date(tenantClock.now()).toISOString()
      return changes.map(change => ({ type: change.type, tenant, at, ...show(change, clock.now()) }))
    },
    add,
    addCommitted: events => (isMultiProcess ? onStored() : add(events)),
    onStored(listener) {
      onStored = listener
    },
    read(stream, lastEventId) {
      if (readers.filter(each => each === stream).length >= maxStreams) return undefined
      readers.push(stream)
      const buffer = buffers.get(stream) ?? new EventBuffer(`${startedAt}-${++series}`)
      buffers.set(stream, buffer)
      buffer.cancelLinger?.()
      if (hasEnded) remove(stream)
      return readBuffer(buffer, { lastEventId, timer, onGone: () => leave(stream, buffer) })
    },
    readers: () => readers.length,
    remove,
    restart,
    end() {
      hasEnded = true
      restart()
    },
  }
}

/** The newest events of a stream, numbered from 1. They are stored once, not for each reader. */
class EventBuffer {
  /** The functions that wake its readers. */
  readonly readers = new Set<() => void>()
  newest = 0
  hasEnded = false
  cancelLinger: (() => void) | undefined
  readonly #series: string
  readonly #texts: string[] = []
  #characters = 0

  constructor(series: string) {
    this.#series = series
  }

  idOf(number: number): string {
    return `${this.#series}-${number}`
  }

  add(type: string, data: string): void {
    this.newest += 1
    const text = eventText(type, data, this.idOf(this.newest))
    this.#texts.push(text)
    this.#characters += text.length
    while (this.#texts.length > maxEvents || (this.#characters > maxCharacters && this.#texts.length > 1))
      this.#characters -= this.#texts.shift()?.length ?? 0
    this.#wakeAll()
  }

  /** Returns the number of an event after which nothing is missing; undefined where there is none. */
  numberOf(id: string): number | undefined {
    const number = Number(id.slice(this.#series.length + 1))
    return id === this.idOf(number) && number <= this.newest && this.#has(number) ? number : undefined
  }

  /** Returns all events after a number; undefined where some of them are gone. */
  after(number: number): string | undefined {
    return this.#has(number) ? this.#texts.slice(this.#texts.length - (this.newest - number)).join('') : undefined
  }

  end(): void {
    this.hasEnded = true
    this.cancelLinger?.()
    this.#wakeAll()
  }

  #has(number: number): boolean {
    return number >= this.newest - this.#texts.length
  }

  #wakeAll(): void {
    for (const wake of this.readers) wake()
  }
}

/** A stream of which its reader may stop. */
export interface EventReader extends EventStream, AsyncIterator<string> {
  next(): Promise<IteratorResult<string>>
  return(): Promise<IteratorResult<string>>
}

interface ReaderOptions {
  readonly lastEventId: string | undefined
  readonly timer: Timer
  readonly onGone: () => void
}

/**
 * Reads a buffer from now on, or after the event of an id. The first event says which: `ready`, or `reset` where events
 * are missing. A reader holds no more than its place: if it falls behind what is kept, it gets `reset` and goes on.
 */
function readBuffer(buffer: EventBuffer, { lastEventId, timer, onGone }: ReaderOptions): EventReader {
  const known = lastEventId === undefined ? buffer.newest : buffer.numberOf(lastEventId)
  let read = known ?? buffer.newest
  let unread =
    known === undefined ? resetText(buffer.idOf(read)) : eventText('ready', '{"type":"ready"}', buffer.idOf(read))
  let waiting = Promise.withResolvers<void>()
  let isOver = false
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
    if (isOver) return
    isOver = true
    cancelHeartbeat()
    buffer.readers.delete(wake)
    onGone()
    wake()
  }

  function takeUnread(): string {
    if (isOver) return ''
    const text = unread + (buffer.after(read) ?? resetText(buffer.idOf(buffer.newest)))
    unread = ''
    read = buffer.newest
    if (buffer.hasEnded) stop()
    return text
  }

  buffer.readers.add(wake)
  beatLater()
  // No generator: while one waits for the next event, nobody can end it.
  const reader: EventReader = {
    [Symbol.asyncIterator]: () => reader,
    async next() {
      for (;;) {
        waiting = Promise.withResolvers()
        const value = takeUnread()
        if (value !== '') return { done: false, value }
        if (isOver) return { done: true, value: undefined }
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

/** Returns an event in the form of the HTML standard's event streams. JSON has no line break. */
function eventText(type: string, data: string, id: string): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`
}

function resetText(id: string): string {
  return eventText(
    'reset',
    JSON.stringify({ type: 'reset', reason: 'Events after your last id are gone. Reload.' }),
    id,
  )
}
