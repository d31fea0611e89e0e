import type { IncomingMessage } from 'node:http'

/** How much of a body that is too large is read on, so that its sender still gets the reply. */
const discardBytes = 8 * 1_048_576

/** A body as far as it was wanted. */
export interface ReadBody {
  /** At most one byte more than the limit: that tells that it is too large. */
  readonly body: Uint8Array
  /** Whether the sender is still sending: then the connection is of no more use. */
  readonly cutShort: boolean
}

/** Reads a request's body. Rejects when the sender goes away. */
export async function readBody(request: IncomingMessage, limit: number): Promise<ReadBody> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (size <= limit) chunks.push(chunk)
    size += chunk.byteLength
    if (size > discardBytes) break
  }
  const whole = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
  return { body: whole.subarray(0, limit + 1), cutShort: size > discardBytes }
}
