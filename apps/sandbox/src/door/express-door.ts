import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { WireReply, WireRequest } from '@lead-distribution/http'
import { type Request, type Response, Router } from 'express'
import { readBody, SenderGone } from './read-body.ts'

/** What a door needs of what it opens to. */
export interface DoorOptions {
  readonly handle: (request: WireRequest) => Promise<WireReply>
  /** The largest body that is handed over, bytes. */
  readonly maxBodyBytes: number
  /** Told of each request when its reply is sent: no query, no header, no body. */
  readonly onReply?: (line: { method: string; path: string; status: number; ms: number }) => void
  /** Told of a fault of the door itself. */
  readonly onFault: (fault: unknown) => void
  /** Whether the server is closing: then no connection is kept. */
  readonly isClosing: () => boolean
}

/** The sandbox behind Express. Raw bytes in, before any body parser; paths and methods are judged behind the door. */
export function createExpressDoor(options: DoorOptions): RequestListener {
  const reply = (request: IncomingMessage, response: ServerResponse) => {
    answer(options, request, response).catch(fault => {
      if (!(fault instanceof SenderGone)) options.onFault(fault)
      response.destroy()
    })
  }
  // A router and no application: that would give each request and response another prototype, which nothing here uses.
  const router = Router()
  router.use(reply)
  // What Express cannot route, such as the target `http://[`, it would answer with a page of its own.
  return (request, response) => router(request as Request, response as Response, () => reply(request, response))
}

async function answer(options: DoorOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const start = performance.now()
  const { method = 'GET', url: target = '/' } = request
  const { body, cutShort } = hasBody(request) ? await readBody(request, options.maxBodyBytes) : noBody
  const reply = await options.handle({ method, target, headers: request.headers as WireRequest['headers'], body })
  const close = cutShort || options.isClosing() ? { connection: 'close' } : undefined
  const length = { 'content-length': String(Buffer.byteLength(reply.body)) }
  response.writeHead(reply.status, { ...reply.headers, ...length, ...close })
  response.end(reply.body)
  options.onReply?.({
    method,
    path: target.split('?', 1)[0] ?? '',
    status: reply.status,
    ms: performance.now() - start,
  })
}

const noBody = { body: new Uint8Array(), cutShort: false }

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}
