import type { IncomingMessage } from 'node:http'
import { wireError } from '@lead-distribution/contract'
import {
  type BodyReader,
  type HttpRequest,
  type HttpResponse,
  type JsonResponse,
  type Wait,
  writeResponse,
} from '@lead-distribution/http'
import { pagePaths, sandboxPath } from '@lead-distribution/simulator/urls'

/** Emitted by a request when its body is wanted, so that a client waiting for `100 Continue` may send it. */
export const bodyWanted = 'bodyWanted'

/** The number of bytes of an unwanted body to read, so that the client still gets the response. */
export const discardBytes = 8 * 1_048_576

/** Small chunks are joined periodically, because each chunk has an overhead. */
const maxChunks = 64

/** A request body from a socket. */
export interface Upload {
  readonly read: BodyReader
  /** Releases its memory, once the request has a response. */
  release(): void
}

/** The request bodies in progress, and their memory. */
export interface Uploads {
  /** Returns a request's body, lazily: nothing is read before it is wanted. */
  of(request: IncomingMessage): Upload
  /** Disconnects clients that send nothing for a while, and soon after all others, for a shutdown. */
  cut(): void
}

/**
 * The limits of uploads.
 * @category Options
 */
export interface UploadLimits {
  /** Memory for all request bodies until their responses, bytes. */
  readonly maxBytes: number
  /** How long a client may be silent during shutdown, milliseconds. */
  readonly silentMs: number
  /** How long any other client has during shutdown, milliseconds. */
  readonly graceMs: number
}

/** The limits of a sandbox. */
export const uploadLimits: UploadLimits = { maxBytes: 32 * 1_048_576, silentMs: 1_000, graceMs: 2_000 }

/** Reads request bodies within limits. */
export function createUploads({ maxBytes, silentMs, graceMs }: UploadLimits): Uploads {
  /** The time at which each client last sent something, from `performance.now()`. */
  const underWay = new Map<IncomingMessage, number>()
  let held = 0
  const cutSilent = (ms: number) => {
    const latest = performance.now() - ms
    for (const [request, at] of underWay) if (at <= latest) request.destroy()
  }
  return {
    of(request) {
      let own = 0
      const onBytes = (count: number) => {
        if (held + count > maxBytes) return false
        held += count
        own += count
        underWay.set(request, performance.now())
        return true
      }
      return {
        async read(limit) {
          if (Number(request.headers['content-length'] ?? 0) > limit) return 'too-large'
          underWay.set(request, performance.now())
          request.emit(bodyWanted)
          const body = await collect(request, limit, onBytes)
          underWay.delete(request)
          return body
        },
        release() {
          held -= own
          own = 0
        },
      }
    },
    cut() {
      cutSilent(silentMs)
      setTimeout(() => cutSilent(0), graceMs).unref()
    },
  }
}

/** The client disconnected; nobody waits for this. */
const ended: JsonResponse = {
  ...wireError('malformed_json', 'The body is shorter than its content-length.'),
  broken: 'cut',
}

/** Reads a body up to a limit. `onBytes` reserves memory for each chunk. */
function collect(request: IncomingMessage, limit: number, onBytes: (count: number) => boolean): ReturnType<BodyReader> {
  return new Promise(resolve => {
    let chunks: Buffer[] = []
    let size = 0
    const stop = (why: 'too-large' | JsonResponse) => {
      request.off('data', onData).pause()
      chunks = []
      resolve(why)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength
      if (size > limit) return stop('too-large')
      if (!onBytes(chunk.byteLength)) return stop(overloaded)
      chunks.push(chunk)
      if (chunks.length === maxChunks) chunks = [Buffer.concat(chunks)]
    }
    request.on('data', onData)
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    request.on('close', () => request.complete || resolve(ended))
    request.on('error', () => resolve(ended))
  })
}

/**
 * Reads the rest of an unwanted body, up to {@link discardBytes}; resolves at its end, at that limit, or when the
 * client disconnects.
 */
export function discard(request: IncomingMessage): Promise<void> {
  return new Promise(resolve => {
    let size = 0
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength
      if (size <= discardBytes) return
      request.off('data', onData).pause()
      resolve()
    }
    request.on('data', onData).on('end', resolve).on('close', resolve).on('error', resolve).resume()
  })
}

/** The response to a request beyond the limit. Nothing of the request was processed. */
const overloaded: JsonResponse = {
  ...wireError('overloaded', 'The sandbox has too many requests in flight. Retry this one later.'),
  headers: { 'retry-after': '1' },
}

/** Counts requests in flight, including those that wait for a commit, but not those that wait for an event. */
export const maxRequests = 4_096

/** Paths that an operator needs even under overload. */
const probe = new RegExp(`^${sandboxPath}(?:${pagePaths.health}|${pagePaths.metrics})(?![^/?])`)

/** A bounded number of requests in flight. */
export interface BoundedHandler {
  handle(request: HttpRequest): Promise<HttpResponse>
  /** The number of requests refused so far. */
  refused(): number
  /** Resolves when no request is in flight. */
  none(): Promise<void>
}

/** Handles requests; while `max` are in flight, refuses all others but health and metrics. */
export function boundRequests(answer: BoundedHandler['handle'], max: number): BoundedHandler {
  let [count, waiting, refused] = [0, 0, 0]
  let onNone: (() => void) | undefined

  /** Waiting requests have their own limit per tenant, and don't count here against other tenants. */
  const waitOf =
    ({ wait }: HttpRequest): Wait =>
    async run => {
      waiting++
      try {
        return await (wait ? wait(run) : run())
      } finally {
        waiting--
      }
    }

  return {
    async handle(request) {
      if (count - waiting >= max && !probe.test(request.target)) {
        refused++
        return writeResponse(overloaded)
      }
      count++
      try {
        return await answer({ ...request, wait: waitOf(request) })
      } finally {
        count--
        if (count === 0) onNone?.()
      }
    },
    refused: () => refused,
    none: () =>
      new Promise<void>(resolve => {
        if (count === 0) resolve()
        else onNone = resolve
      }),
  }
}
