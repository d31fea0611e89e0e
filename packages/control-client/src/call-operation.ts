import type { ControlInput, ControlOperationName, ControlParameters, ControlReply } from '@lead-distribution/simulator'
import { type EventOptions, readEvents, type SandboxEvent } from './event-stream.ts'
import type { Routes } from './routes.ts'

/** A request of the control plane, ready to be sent. */
export interface ControlRequest {
  /** The operation of the control plane. */
  readonly operation: ControlOperationName
  /** HTTP method. */
  readonly method: string
  /** Below the path of the control plane, with its parameters filled in: `/tenants/demo/clock`. */
  readonly path: string
  /** The query, one text for each name. */
  readonly query: Readonly<Record<string, string>>
  /** Headers besides those that every request has. */
  readonly headers: Readonly<Record<string, string>>
  /** Sent as JSON; undefined for none. */
  readonly body: unknown
  /** The time that the call asks the sandbox to delay its response, milliseconds. */
  readonly holdMs: number
  /** True if its response is a stream of server-sent events. */
  readonly streams: boolean
  /** Gives the call up. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends a request and resolves to the JSON of the response, or, if it streams, to its text as it arrives, an
 * `AsyncIterable<string>`.
 * @throws ControlError the control plane refuses the request, or does not respond.
 */
export type Send = (request: ControlRequest) => Promise<unknown>

/**
 * Calls an operation with its path parameters and its body or query.
 * @throws PathError where a parameter cannot be part of a path.
 */
export type CallOperation = <Name extends ControlOperationName>(
  operation: Name,
  parameters: ControlParameters<Name>,
  input?: ControlInput<Name>,
  options?: CallOptions,
) => Promise<ControlReply<Name>>

/** Streams the events of an operation. */
export type StreamOperation = (
  operation: 'streamEvents' | 'streamAllEvents',
  parameters: Readonly<Record<string, string>>,
  options?: EventOptions,
) => AsyncIterableIterator<SandboxEvent>

/** Options of a call. */
export interface CallOptions {
  /** Headers besides those that every call has. */
  readonly headers?: ControlRequest['headers']
  /** The query of a call whose method takes a body. */
  readonly query?: ControlRequest['query']
  /** Milliseconds; see {@link ControlRequest.holdMs}. */
  readonly holdMs?: number
}

/**
 * A name or an id that no path can hold. Nothing was sent.
 * @example
 * ```ts
 * import { PathError } from '@lead-distribution/control-client'
 *
 * try {
 *   await tenant.leads.show('..')
 * } catch (error) {
 *   if (error instanceof PathError) report(error.message) // nothing was sent
 * }
 * ```
 */
export class PathError extends TypeError {
  override readonly name = 'PathError'
}

/** Makes calls by a table of routes. */
export function createCallOperation(send: Send, routes: Routes): CallOperation {
  return async <Name extends ControlOperationName>(
    operation: Name,
    parameters: ControlParameters<Name>,
    input: unknown = {},
    { headers = {}, query = {}, holdMs = 0 }: CallOptions = {},
  ) => {
    const line = requestLine(routes, operation, parameters)
    const takesBody = line.method === 'POST' || line.method === 'PATCH'
    const reply = await send({
      ...line,
      query: takesBody ? query : texts(input),
      headers,
      body: takesBody ? input : undefined,
      holdMs,
      streams: false,
    })
    // The control plane responds in the shapes of its declarations: the tests of the repository check that.
    return reply as ControlReply<Name>
  }
}

/** Makes streams by a table of routes. */
export function createStreamOperation(send: Send, routes: Routes): StreamOperation {
  return (operation, parameters, { signal, lastEventId } = {}) => {
    const headers: ControlRequest['headers'] = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    const open = async () => {
      const line = requestLine(routes, operation, parameters)
      return send({ ...line, query: {}, headers, body: undefined, holdMs: 0, streams: true, signal })
    }
    return readEvents(() => open() as Promise<AsyncIterable<string>>, signal)
  }
}

function requestLine(routes: Routes, operation: ControlOperationName, values: Readonly<Record<string, string>>) {
  const [method = '', pattern = ''] = routes[operation].split(' ')
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => segment(name, values[name]))
  return { operation, method, path }
}

/**
 * A segment of a path. URLs resolve an empty one and one of only dots, however they are escaped: the path would be
 * another one, and `DELETE …/snapshots/..` delete the tenant.
 */
function segment(name: string, value: unknown): string {
  if (typeof value === 'string' && !/^\.{0,2}$/.test(value) && value.isWellFormed()) return encodeURIComponent(value)
  const given = JSON.stringify(value)
  throw new PathError(
    `\`${name}\` must be a non-empty string that is not only dots, because it is part of a path (got ${given}).`,
  )
}

function texts(input: unknown): Record<string, string> {
  const given = Object.entries(Object(input)).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
}
