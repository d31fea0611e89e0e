/**
 * The callback receiver as a handler for Express and `node:http`.
 * @module @lead-distribution/publisher-sdk/node
 */

import { ConfigError } from '@lead-distribution/sdk-core/errors'
import { checkOptions, type Known } from '@lead-distribution/sdk-core/options'
import type { CallbackReceiver } from './callbacks/callback-receiver.ts'
import { type NodeRequest, readMessage } from './callbacks/callback-request.ts'

export type { NodeRequest } from './callbacks/callback-request.ts'

/** The parts of a `node:http` or Express response that the handler uses. @inline */
type NodeResponse = {
  /** Writes the status and the headers. */
  writeHead(status: number, headers: Record<string, string>): unknown
  /** Ends the response. */
  end(body: string): unknown
}

/** The options of {@link nodeCallbacks}. @inline */
type NodeCallbacksOptions = {
  /**
   * Returns the request target as the service signed it, `/path?query`. Set it if a proxy changes the path: a signature
   * covers the target. Default: the target as received.
   */
  readonly target?: ((request: NodeRequest) => string) | undefined
}

const knownOptions = { target: 1 } satisfies Known<NodeCallbacksOptions>

/**
 * Mounts a callback receiver on Express, `app.use('/callbacks', nodeCallbacks(receive))`, or on `node:http`. The
 * sender's address is Express's `req.ip`, which respects `trust proxy`, or the connection's address. The returned
 * promise resolves after the response is sent; it never rejects.
 * @throws ConfigError an option is unknown, or `target` is not a function.
 * @example
 * ```ts
 * import { nodeCallbacks } from '@lead-distribution/publisher-sdk/node'
 * import express from 'express'
 *
 * const app = express().use('/callbacks', nodeCallbacks(receive))
 * ```
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { nodeCallbacks } from '@lead-distribution/publisher-sdk/node'
 *
 * // Behind a proxy that strips `/api`:
 * createServer(nodeCallbacks(receive, { target: ({ url }) => `/api${url}` })).listen(3000)
 * ```
 * @category Callbacks
 */
export function nodeCallbacks(receive: CallbackReceiver, options: NodeCallbacksOptions = {}) {
  checkOptions('`nodeCallbacks`', options, knownOptions)
  const { target } = options
  if (target !== undefined && typeof target !== 'function') {
    throw new ConfigError(
      '`target` must be a function that returns the request target, such as `/callbacks/x?lead_id=y`.',
    )
  }

  async function responseTo(request: NodeRequest): Promise<Response> {
    const message = readMessage(request)
    if (!message) return new Response(null, { status: 400 })
    return await receive(message.request, {
      ip: request.ip ?? request.socket.remoteAddress,
      // A getter, because the receiver passes an error thrown by the user's function to `onError`.
      get target() {
        return target ? target(request) : message.target
      },
    })
  }

  return async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    const result = await responseTo(request).catch(error => {
      console.error(error)
      return new Response(null, { status: 500 })
    })
    try {
      response.writeHead(result.status, Object.fromEntries(result.headers))
      response.end(await result.text())
    } catch {
      // Something else has responded in the meantime, such as a time-out middleware.
    }
  }
}
