import { callbackSignatureHeaders } from '@lead-distribution/contract'
import type { Egress } from '@lead-distribution/engine'
import type {
  CallbackRequest,
  CallbackResponse,
  HttpEgress,
  RequestEgress,
} from '../never-distribute/guarded-egress.ts'

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

/** An egress that can be closed. */
export interface ClosableEgress<Request = CallbackRequest> extends RequestEgress<Request> {
  /**
   * Ends at once, for the sender, what is under way and what is sent while `run` goes on: nothing waits for a receiver
   * whose answer is not wanted any more.
   */
  closedWhile<Result>(run: () => Promise<Result>): Promise<Result>
}

const closed: CallbackResponse = { error: 'cut off: the tenant was restored or reset' }

/** Whether a request was ended by {@link ClosableEgress.closedWhile}. */
export function isCutOff(response: CallbackResponse): boolean {
  return response === closed
}

/** An egress over another one. */
export function createClosableEgress<Request>(egress: RequestEgress<Request>): ClosableEgress<Request> {
  const underWay = new Set<() => void>()
  let closings = 0
  return {
    send(request) {
      if (closings > 0) return Promise.resolve(closed)
      return new Promise((resolve, reject) => {
        const end = () => resolve(closed)
        underWay.add(end)
        egress
          .send(request)
          .then(resolve, reject)
          .finally(() => underWay.delete(end))
      })
    },
    async closedWhile(run) {
      closings += 1
      for (const end of underWay) end()
      try {
        return await run()
      } finally {
        closings -= 1
      }
    },
  }
}
