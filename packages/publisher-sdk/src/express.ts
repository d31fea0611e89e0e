/**
 * The callback receiver as an Express handler.
 * @module @lead-distribution/publisher-sdk/express
 */

import { type CallbackReceiver, type NodeResponse, respond } from './callbacks/callback-receiver.ts'
import type { NodeRequest } from './callbacks/callback-request.ts'

export type { NodeResponse } from './callbacks/callback-receiver.ts'

/** The parts of Express's request that are read. */
export interface ExpressRequest extends NodeRequest {
  /** Address of the peer, according to the app's `trust proxy`. */
  readonly ip?: string | undefined
}

/**
 * Mounts a callback receiver on Express: `app.use('/callbacks', expressCallbacks(receive))`. It takes the address of the
 * peer from `req.ip`, which respects the app's `trust proxy`.
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
    void respond(receive, request, response, request.ip)
  }
}
