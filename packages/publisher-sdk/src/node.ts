/**
 * The callback receiver as a listener of `node:http`.
 * @module @lead-distribution/publisher-sdk/node
 */

import { type CallbackReceiver, type NodeResponse, respond } from './callbacks/callback-receiver.ts'
import type { NodeRequest } from './callbacks/callback-request.ts'

export type { NodeResponse } from './callbacks/callback-receiver.ts'
export type { NodeRequest } from './callbacks/callback-request.ts'

/**
 * Mounts a callback receiver on `node:http`: `createServer(nodeCallbacks(receive))`.
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { nodeCallbacks } from '@lead-distribution/publisher-sdk/node'
 *
 * createServer(nodeCallbacks(receive)).listen(3000)
 * ```
 */
export function nodeCallbacks(receive: CallbackReceiver) {
  return (request: NodeRequest, response: NodeResponse): void => {
    void respond(receive, request, response, request.socket.remoteAddress)
  }
}
