import type { EventStream } from '@lead-distribution/http'
import type { Timer } from '../time/clock.ts'

/** The heartbeat interval of a stream, milliseconds: proxies cut connections that are silent for a minute. */
const heartbeatMs = 15_000

/** A stream of which its reader may stop. */
export interface EventReader extends EventStream, AsyncIterator<string> {
  next(): Promise<IteratorResult<string>>
  return(): Promise<IteratorResult<string>>
}

export const messages = {
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
export function eventText(type: string, data: string, id?: string): string {
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
export function createEventReader({ first, take, hasEnded, enter, leave, timer }: EventReaderOptions): EventReader {
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
