import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { HttpRequest, HttpResponse } from '@lead-distribution/http'
import { sandboxPath } from '@lead-distribution/simulator'
import { type Request, type Response, Router } from 'express'
import { withheld } from './idle-connections.ts'
import { readBody, SenderGone } from './read-body.ts'

/** What a door needs of what it opens to. */
export interface DoorOptions {
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>
  /** The largest body that is handed over, bytes. */
  readonly maxBodyBytes: number
  /** Told of each request that was handed over, when its reply is sent: no query, no header, no body. */
  readonly onReply?: (line: { method: string; path: string; status: number; ms: number }) => void
  /** Told of a fault of the door itself. */
  readonly onError: (fault: unknown) => void
  /** Whether the server is closing: then no connection is kept. */
  readonly isClosing: () => boolean
}

/** The sandbox behind Express. Raw bytes in, before any body parser; paths and methods are judged behind the door. */
export function createExpressDoor(options: DoorOptions): RequestListener {
  const failed = (response: ServerResponse) => (fault: unknown) => {
    if (!(fault instanceof SenderGone)) options.onError(fault)
    response.destroy()
  }
  const reply: RequestListener = (request, response) => {
    answer(options, request, response).catch(failed(response))
  }
  // A router and no application: that would give each request and response another prototype, which nothing here uses.
  const router = Router()
  router.use(reply)
  // What Express cannot route, such as the target `http://[`, it would answer with a page of its own.
  const service: RequestListener = (request, response) =>
    router(request as Request, response as Response, () => reply(request, response))
  const own = createOwnDoor(reply, options.isClosing)
  return (request, response) => {
    if (request.url?.startsWith(`${sandboxPath}/`)) own(request, response).catch(failed(response))
    else service(request, response)
  }
}

/** Opens to the pages, which are loaded when the first of them is asked for: who only calls the service never waits for them. */
function createOwnDoor(answer: RequestListener, isClosing: () => boolean) {
  let pages: Promise<RequestListener> | undefined
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    pages ??= import('./own-pages.ts').then(({ createOwnPages }) => createOwnPages(answer))
    const open = await pages
    // Nobody waits for the reply any more, and nothing would tell that later.
    if (response.destroyed) return
    if (isClosing()) response.setHeader('connection', 'close')
    open(request, response)
  }
}

async function answer(options: DoorOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const start = performance.now()
  const { method = 'GET', url: target = '/' } = request
  const { body, cutShort } = hasBody(request) ? await readBody(request, options.maxBodyBytes) : noBody
  const reply = await options.handle({ method, target, headers: request.headers as HttpRequest['headers'], body })
  if (reply.broken) return breakOff(reply.broken, response, options.isClosing())
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

/** Sends nothing, on purpose: the sender sees its connection reset, or waits until it gives up. */
function breakOff(how: 'cut' | 'withheld', { socket }: ServerResponse, closing: boolean): void {
  if (how === 'cut' || closing) socket?.resetAndDestroy()
  else socket?.emit(withheld)
}

const noBody = { body: new Uint8Array(), cutShort: false }

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}
