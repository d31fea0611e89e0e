// What Node reports about the requests of a call through the diagnostics channels of undici, and what the network errors
// of Node, Bun and Deno prove.
import { callIdHeader, type NetworkFailure, type RequestTrace } from './network.ts'

export * from './network.ts'

/** A request of undici, the HTTP client inside Node, as its diagnostics channels show it. */
interface UndiciRequest {
  headers: readonly unknown[]
  /** Null until a connection takes the request. Undocumented, so only null proves anything. */
  abort?: unknown
}

/** A message of the channels: a new request, or with a socket, a request whose headers are about to be sent. */
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

/** Starts to follow the requests that carry the id of a call. */
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

// Before a connection is established nothing can have been sent. The codes are Node's, then Bun's.
const beforeConnect =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/
const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|HANDSHAKE_FAIL|_VERSION|PACKET_LENGTH|UNSUPPORTED_PROTOCOL/

/** Judges a network error by the codes and sentences of Node, Bun and Deno. */
export function kindOfError(error: unknown, depth = 0): NetworkFailure {
  if (depth > 5) return 'reply_lost'
  const { code, syscall, errors, cause, message }: Record<string, unknown> = Object(error)
  if (Array.isArray(errors) && errors.length > 0) {
    // One attempt per address: nothing was sent only if each failed before its connection.
    const kinds = errors.map(each => kindOfError(each, depth + 1))
    return kinds.every(kind => kind === 'not_reached') ? 'not_reached' : 'reply_lost'
  }
  if (typeof code === 'string') {
    if (beforeConnect.test(code) || syscall === 'connect') return 'not_reached'
    if (untrusted.test(code)) return 'unreachable'
  } else if (/^bad port$|port \d+ are blocked$/.test(String(message))) {
    // Node's sentence, then Deno's.
    return 'unreachable'
  } else if (/ client error \(Connect\): /.test(String(message))) {
    // Deno gives a sentence and no code. The sentence has spaces, so it can't come from a URL.
    return /certificate/.test(String(message)) ? 'unreachable' : 'not_reached'
  }
  return kindOfError(cause, depth + 1)
}
