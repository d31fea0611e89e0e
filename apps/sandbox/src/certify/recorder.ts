import { maxBodyBytes } from '@lead-distribution/contract'
import type { HttpRequest, HttpResponse } from '@lead-distribution/http'
import { sandboxPath } from '@lead-distribution/simulator/paths'

/** A request of the application to the service, byte for byte, and its response. Holds keys: never printed. */
export interface RecordedCall {
  readonly method: string
  /** Path and query as they came in. */
  readonly target: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** When it came in, milliseconds on `performance.now()`. */
  readonly at: number
  /** Undefined while it is worked on. */
  response?: HttpResponse
}

/** Makes another response of the service's, or the same later; undefined leaves it unchanged. */
export type ChangeResponse = (
  call: RecordedCall,
  response: HttpResponse,
) => HttpResponse | undefined | Promise<HttpResponse | undefined>

/** Answers instead of the service; `answer` is the service. */
export type Override = (call: RecordedCall, answer: () => Promise<HttpResponse>) => Promise<HttpResponse>

/** Records everything that an application sends to the service of a sandbox, and can answer instead of it. */
export function createRecorder() {
  const calls: RecordedCall[] = []
  let override: Override | undefined

  async function overriding<Value>(by: Override, work: () => Promise<Value>): Promise<Value> {
    override = by
    try {
      return await work()
    } finally {
      override = undefined
    }
  }

  return {
    /** What `startServer` takes as `intercept`. */
    async intercept(
      request: HttpRequest,
      answer: (request: HttpRequest) => Promise<HttpResponse>,
    ): Promise<HttpResponse> {
      // The control plane and the advertiser's page are ours: no application calls them.
      if (request.target.startsWith(`${sandboxPath}/`)) return answer(request)
      const { method, target, headers, body } = request
      const at = performance.now()
      const came = typeof body === 'function' ? await body(maxBodyBytes) : body
      const isWhole = came instanceof Uint8Array
      const call: RecordedCall = { method, target, headers, body: isWhole ? new TextDecoder().decode(came) : '', at }
      calls.push(call)
      const read = { ...request, body: isWhole ? came : async () => came }
      call.response = await (override ? override(call, () => answer(read)) : answer(read))
      return call.response
    },
    /** All calls so far, oldest first. A slice from an earlier length holds those since then. */
    calls: calls as readonly RecordedCall[],
    /** Answers instead of the service while some work is done. */
    overriding,
    /** Changes responses while some work is done. */
    changing: <Value>(by: ChangeResponse, work: () => Promise<Value>): Promise<Value> =>
      overriding(async (call, answer) => {
        const response = await answer()
        return (await by(call, response)) ?? response
      }, work),
  }
}
