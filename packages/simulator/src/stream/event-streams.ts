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
      readonly change: 'forwarded'
      readonly lead_id: string
      readonly advertiser_id: string
      /** The advertiser's back end responded. */
      readonly backend: BackendResponse
    }
  | { readonly type: 'callback'; readonly callback: SandboxCallback; readonly holding: Holding }
  | { readonly type: 'request'; readonly request: RequestRecord }
  | { readonly type: 'clock'; readonly clock: ClockState }
  | { readonly type: 'fault'; readonly faults: readonly FaultRecord[] }
  | { readonly type: 'inbox'; readonly inbox: InboxMode }
  | { readonly type: 'tenant'; readonly change: 'created' | 'changed' | 'restored' | 'deleted' }

/** The maximum number of open streams per tenant, and of streams of all tenants, which only the operator reads. */
export const maxStreams = 100

/** The maximum number of events in a stream's buffer: a few seconds at the highest rate. */
const maxEvents = 4_096

/** The maximum number of characters in a buffer. The newest event is kept regardless of its length. */
const maxCharacters = 2_000_000

/** How long a stream outlives its last reader, in milliseconds, so that a reader that reconnects misses nothing. */
const lingerMs = 60_000

/** The heartbeat interval of a stream, milliseconds: proxies cut connections that are silent for a minute. */
const heartbeatMs = 15_000

/** The event streams of all tenants. */
export interface EventStreams {
  /**
   * True if processes share the storage. Events are then stored with the changes that they report, and each process reads
   * them from there.
   */
  readonly isMultiProcess: boolean
  /** Returns true if a tenant's changes must be recorded. */
  isWatched(tenant: string): boolean
  /** Returns true if any stream has readers, or had one recently. */
  isRead(): boolean
  /** Returns the events of a tenant's changes. */
  eventsOf(of: { readonly tenant: string; readonly clock: Clock }, changes: readonly Change[]): readonly StreamEvent[]
  /** Adds events to the streams of this process. */
  add(events: readonly StreamEvent[]): void
  /** Adds a transaction's events after its commit. With a shared storage, only signals that they are stored. */
  addCommitted(events: readonly StreamEvent[]): void
  /** Calls a function when this process has stored stream events. */
  onStored(listener: () => void): void
  /**
   * Reads the events of one tenant or all, from now on or after an event id. Undefined if the stream already has {@link
   * maxStreams} readers. Changes of transactions that began earlier may be missing.
   */
  read(stream: StreamOf, lastEventId?: string): EventReader | undefined
  /** The number of open streams. */
  readers(): number
  /** Ends the streams of a tenant. */
  remove(tenant: string): void
  /** Ends all streams because of missing events: readers reconnect and get `reset`. */
  restart(): void
  /** Ends all streams for good. */
  end(): void
}

export interface EventStreamsOptions {
  readonly timer: Timer
  /** Real time, which makes event ids unique to a run of the sandbox. */
  readonly clock: Clock
  /** Returns an event's data besides its type, tenant and time. */
  readonly show: (change: Change, realNow: number) => object
  readonly isMultiProcess?: boolean | undefined
}

/** Creates event streams without readers. */
export function createEventStreams({ timer, clock, show, isMultiProcess = false }: EventStreamsOptions): EventStreams {
  const startedAt = clock.now().toString(36)
  const buffers = new Map<StreamOf, EventBuffer>()
  /** The stream of each open reader. A reader of an ended stream counts until it has read the rest. */
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

/** A ring buffer of a stream's newest events, numbered from 1 and shared by all its readers. */
class EventBuffer {
  /** Functions that wake the readers. */
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

  /** Returns an event's number if all later events are in the buffer; otherwise undefined. */
  numberOf(id: string): number | undefined {
    const number = Number(id.slice(this.#series.length + 1))
    return id === this.idOf(number) && number <= this.newest && this.#has(number) ? number : undefined
  }

  /** Returns all events after a number; undefined if some are gone. */
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

/** A stream that its reader can close. */
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
 * Reads a buffer from now on, or after an event id. The first event is `ready`, or `reset` if events are missing. A
 * reader holds only its position: if it falls behind the buffer, it gets `reset` and continues.
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

  function scheduleHeartbeat(): void {
    cancelHeartbeat = timer.after(heartbeatMs, () => {
      unread ||= ': still here\n\n'
      wake()
      scheduleHeartbeat()
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
  scheduleHeartbeat()
  // Not a generator: it could not be closed while it waits for the next event.
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

/** Formats an event as a server-sent event. JSON contains no line breaks. */
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
