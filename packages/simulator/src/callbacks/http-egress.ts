import { callbackSignatureHeaders } from '@lead-distribution/contract'
import type { Egress } from '@lead-distribution/engine'
import type { HttpEgress } from '../never-distribute/guarded-egress.ts'

/** Sends the engine's callbacks as HTTP requests: signs them, and counts any `2xx` as delivered (point 10 of the open points). */
export function createHttpCallbacks(egress: HttpEgress): Egress {
  return {
    async send({ callback_id, url, at, timeoutMs, signingSecret }) {
      const headers =
        signingSecret === undefined
          ? {}
          : await callbackSignatureHeaders({ secret: signingSecret, id: callback_id, at, url })
      const response = await egress.send({ url, headers, timeoutMs })
      const { status } = response
      return { ...response, delivered: status !== undefined && status >= 200 && status < 300 }
    },
  }
}
