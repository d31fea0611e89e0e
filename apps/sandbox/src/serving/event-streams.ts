import type { ServerResponse } from 'node:http'
import type { HttpResponse } from '@lead-distribution/http'

/** How long a reader may be stalled before its connection is closed, milliseconds. */
const stalledMs = 30_000

export interface EventStreams {
  /**
   * Sends the headers and chunks of a stream until it ends or the reader disconnects. Waits for the reader before each
   * chunk.
   */
  send(response: ServerResponse, head: Pick<HttpResponse, 'status' | 'headers'>, stream: Stream): Promise<void>
  /** Disconnects stalled readers, which would delay the shutdown. */
  cut(): void
}

type Stream = NonNullable<HttpResponse['stream']>

/** Sends streams to readers over sockets. Backpressure: data that a reader does not accept stays at its source. */
export function createEventStreams(limits = { stalledMs }): EventStreams {
  const stalled = new Set<ServerResponse>()

  /** Waits until a reader has accepted the written data, or its connection is closed. */
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
      // The connection ends with the stream; otherwise a server that shuts down would wait for another request on it.
      response.writeHead(status, { ...headers, connection: 'close' }).flushHeaders()
      const pieces = stream[Symbol.asyncIterator]()
      response.once('close', () => void pieces.return?.())
      for (;;) {
        const { done, value } = await pieces.next()
        if (done || response.destroyed) break
        if (!response.write(value)) await untilTaken(response)
      }
      // Handles a reader that had disconnected before the stream began, too: there is no event for that any more.
      await pieces.return?.()
      response.end()
    },
    cut() {
      for (const response of stalled) response.destroy()
    },
  }
}
