import type { ServerResponse } from 'node:http'
import type { HttpResponse } from '@lead-distribution/http'

/** The time that a reader may read nothing before its connection is cut, milliseconds. */
const stalledMs = 30_000

export interface EventStreams {
  /** Sends the head and all pieces of a stream, until it ends or its reader goes away; a piece once the one before is taken. */
  send(response: ServerResponse, head: Pick<HttpResponse, 'status' | 'headers'>, stream: Stream): Promise<void>
  /** Cuts the readers that take nothing at present: the sandbox is closing, and they would be waited for. */
  cut(): void
}

type Stream = NonNullable<HttpResponse['stream']>

/** Sends streams to readers over sockets. What a reader does not take stays where it comes from. */
export function createEventStreams(limits = { stalledMs }): EventStreams {
  const stalled = new Set<ServerResponse>()

  /** Waits until a reader took what was written, or its connection is closed. */
  function untilTaken(response: ServerResponse): Promise<void> {
    const timer = setTimeout(() => response.destroy(), limits.stalledMs)
    stalled.add(response)
    return new Promise(resolve => {
      const end = () => {
        clearTimeout(timer)
        stalled.delete(response)
        response.off('drain', end).off('close', end)
        resolve()
      }
      response.on('drain', end).on('close', end)
    })
  }

  return {
    async send(response, { status, headers }, stream) {
      // The connection ends with the stream: a server that closes would wait for the next request on it.
      response.writeHead(status, { ...headers, connection: 'close' }).flushHeaders()
      const pieces = stream[Symbol.asyncIterator]()
      response.once('close', () => void pieces.return?.())
      for (;;) {
        const { done, value } = await pieces.next()
        if (done || response.destroyed) break
        if (!response.write(value)) await untilTaken(response)
      }
      // Also where the reader was gone before there was a stream: nothing says so any more.
      await pieces.return?.()
      response.end()
    },
    cut() {
      for (const response of stalled) response.destroy()
    },
  }
}
