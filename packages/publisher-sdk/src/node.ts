/**
 * The callback receiver as a listener of `node:http`.
 * @module @lead-distribution/publisher-sdk/node
 */

import type { NodeRequest } from './callbacks/callback-message.ts'
import type { CallbackReceiver } from './callbacks/callback-receiver.ts'
import { answer, type NodeResponse } from './callbacks/node-messages.ts'

export type { NodeRequest } from './callbacks/callback-message.ts'
export type { NodeResponse } from './callbacks/node-messages.ts'

/**
 * A receiver of callbacks as a listener of `node:http`: `createServer(nodeCallbacks(receive))`.
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
    void answer(receive, request, response, request.socket.remoteAddress)
  }
}
