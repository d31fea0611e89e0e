import { type NodeRequest, readMessage } from './callback-message.ts'
import type { CallbackReceiver } from './callback-receiver.ts'

/** As much of a response of `node:http` as is used; Express's has it too. */
export interface NodeResponse {
  /** Writes status and headers. */
  writeHead(status: number, headers: Record<string, string>): unknown
  /** Ends the response. */
  end(body: string): unknown
}

/** Hands a message of `node:http` to a receiver, and its reply back. Never rejects. */
export async function answer(
  receive: CallbackReceiver,
  request: NodeRequest,
  response: NodeResponse,
  ip: string | undefined,
): Promise<void> {
  const message = readMessage(request)
  const reply = message
    ? await receive(message.request, { ip, target: message.target })
    : new Response(null, { status: 400 })
  try {
    response.writeHead(reply.status, Object.fromEntries(reply.headers))
    response.end(await reply.text())
  } catch {
    // Someone else has answered meanwhile, such as a middleware that bounds the time.
  }
}
