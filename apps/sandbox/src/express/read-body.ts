import type { IncomingMessage } from 'node:http'

/** How much of a body that is too large is read on, so that its sender still gets the response. */
const discardBytes = 8 * 1_048_576

/** A body, up to what was wanted of it. */
export interface ReadBody {
  /** At most one byte more than the limit, which shows that it is too large. */
  readonly body: Uint8Array
  /** Whether the sender is still sending: then the connection is of no more use. */
  readonly cutShort: boolean
}

/** The sender went away before its request was whole: nobody waits for the response. */
export class SenderGone extends Error {}

/** Reads a request's body. Rejects with {@link SenderGone}. */
export function readBody(request: IncomingMessage, limit: number): Promise<ReadBody> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const done = (cutShort: boolean) => {
      const whole = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
      resolve({ body: whole.byteLength > limit ? whole.subarray(0, limit + 1) : whole, cutShort })
    }
    request.on('data', (chunk: Buffer) => {
      if (size <= limit) chunks.push(chunk)
      size += chunk.byteLength
      if (size <= discardBytes) return
      request.pause()
      done(true)
    })
    request.on('end', () => done(false))
    request.on('close', () => request.complete || reject(new SenderGone()))
    request.on('error', () => reject(new SenderGone()))
  })
}
