// What Node reports about the requests of a call, by the diagnostics channels of undici.
import { callIdHeader, type RequestTrace } from './request-trace.ts'

export * from './request-trace.ts'

/** A request of undici, the HTTP client inside Node, as its diagnostics channels show it. */
interface UndiciRequest {
  headers: readonly unknown[]
  /** Null until a connection takes the request. It is not documented, so only null proves anything. */
  abort?: unknown
}

/** What the channels publish: a request that was made, and with a socket one whose headers are about to be sent. */
interface Message {
  request: UndiciRequest
  socket?: { destroy(): void }
}

interface Channels {
  subscribe(name: string, listener: (message: Message) => void): void
}

const followed = new Map<unknown, (message: Message) => void>()
const withdrawn = new WeakSet<UndiciRequest>()
let listens = false

function listen(): void {
  if (listens) return
  listens = true
  type Process = { getBuiltinModule?(name: string): Channels | undefined }
  const channels = (globalThis as { process?: Process }).process?.getBuiltinModule?.('node:diagnostics_channel')
  for (const name of ['undici:request:create', 'undici:client:sendHeaders'])
    channels?.subscribe(name, message => {
      const { request, socket } = message
      if (socket && withdrawn.has(request)) return socket.destroy()
      const { headers } = request
      if (followed.size > 0) followed.get(headers?.[headers.indexOf(callIdHeader) + 1])?.(message)
    })
}

/** Follows the requests that carry the id of a call. */
export function traceRequests(callId: string): RequestTrace | undefined {
  let requests: UndiciRequest[] = []
  let sent = false
  let unsent = false
  let repeated = () => {}
  listen()
  followed.set(callId, ({ request, socket }) => {
    if (socket) sent = true
    else if (requests.push(request) > 1) repeated()
  })
  return {
    attempt(onRepeat) {
      repeated = onRepeat
      requests = []
      sent = false
      unsent = false
    },
    provesUnsent() {
      unsent ||= requests.length > 0 && !sent && requests.every(({ abort }) => abort === null)
      if (unsent) for (const request of requests) withdrawn.add(request)
      return unsent
    },
    end: () => void followed.delete(callId),
  }
}
