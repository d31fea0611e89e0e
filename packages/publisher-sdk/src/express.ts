/**
 * The callback receiver as an Express handler.
 * @module @lead-distribution/publisher-sdk/express
 */

import type { NodeRequest } from './callbacks/callback-message.ts'
import type { CallbackReceiver } from './callbacks/callback-receiver.ts'
import { answer, type NodeResponse } from './callbacks/node-messages.ts'

export type { NodeRequest } from './callbacks/callback-message.ts'
export type { NodeResponse } from './callbacks/node-messages.ts'

/** As much of Express's request as is read. */
export interface ExpressRequest extends NodeRequest {
  /** The peer's address, as the app's `trust proxy` has it. */
  readonly ip?: string | undefined
}

/**
 * A receiver of callbacks as an Express handler: `app.use('/callbacks', expressCallbacks(receive))`. The address
 * of the peer is `req.ip`, which respects the app's `trust proxy`.
 * @example
 * ```ts
 * import { expressCallbacks } from '@lead-distribution/publisher-sdk/express'
 * import express from 'express'
 *
 * const app = express().use('/callbacks', expressCallbacks(receive))
 * ```
 */
export function expressCallbacks(receive: CallbackReceiver) {
  return (request: ExpressRequest, response: NodeResponse): void => {
    void answer(receive, request, response, request.ip)
  }
}
