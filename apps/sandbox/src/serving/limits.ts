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

/** Emitted by a request once its body is wanted: a sender that waits for `100 Continue` may send it. */
export const bodyWanted = 'bodyWanted'

/** The number of bytes of an unwanted body to keep reading, so that its sender still gets the response. */
export const discardBytes = 8 * 1_048_576

/** A body of many small chunks is joined from time to time: each chunk costs more than its bytes. */
const maxChunks = 64

/** A body on its way over a socket. */
export interface Upload {
  readonly read: BodyReader
  /** Gives back the memory that it holds: its request is answered. */
  release(): void
}

/** The bodies that are on their way, and the memory that they hold. */
export interface Uploads {
  /** The body of a request, of which nothing is read before it is wanted. */
  of(request: IncomingMessage): Upload
  /** Cuts the senders that send nothing for a while, and soon after all others: the sandbox is closing. */
  cut(): void
}

/** Limits of uploads. */
export interface UploadLimits {
  /** Memory for the bodies of all requests until they are answered, bytes. */
  readonly maxBytes: number
  /** The time that a sender may be silent while the sandbox closes, milliseconds. */
  readonly silentMs: number
  /** The time that any other sender has once the sandbox closes, milliseconds. */
  readonly graceMs: number
}

/** The limits of a sandbox. */
export const uploadLimits: UploadLimits = { maxBytes: 32 * 1_048_576, silentMs: 1_000, graceMs: 2_000 }

/** Reads the bodies of requests within limits. */
export function createUploads({ maxBytes, silentMs, graceMs }: UploadLimits): Uploads {
  /** The last time that each sent something, on `performance.now()`. */
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

/** The sender went away in the middle: nobody waits for this. */
const ended: JsonResponse = {
  ...wireError('malformed_json', 'The body is shorter than its content-length.'),
  broken: 'cut',
}

/** Reads a body up to a limit. `onBytes` is asked for the memory of each chunk. */
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

/** Reads on what nobody wants, up to {@link discardBytes}; resolves at its end, at that bound, or when the sender went away. */
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

/** The refusal of a request that the sandbox has no room for. Nothing of it was done. */
const overloaded: JsonResponse = {
  ...wireError('overloaded', 'The sandbox has too many requests in flight. Send this one again later.'),
  headers: { 'retry-after': '1' },
}

/** Counts requests in flight, including those that wait for a commit, but not those that wait for an event. */
export const maxRequests = 4_096

/** Paths that an operator needs while all else is refused. */
const probe = new RegExp(`^${sandboxPath}(?:${pagePaths.health}|${pagePaths.metrics})(?![^/?])`)

/** Requests in flight, of which there is a bounded number. */
export interface BoundedHandler {
  handle(request: HttpRequest): Promise<HttpResponse>
  /** The number of requests that were refused so far. */
  refused(): number
  /** Resolves when no request is in flight. */
  none(): Promise<void>
}

/** Answers requests; beyond `max` at once it refuses all but health and metrics. */
export function boundRequests(answer: BoundedHandler['handle'], max: number): BoundedHandler {
  let [count, waiting, refused] = [0, 0, 0]
  let onNone: (() => void) | undefined

  /** Waiting calls have a limit per tenant, and take no place of other tenants here. */
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
