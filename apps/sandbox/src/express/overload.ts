import {
  type HttpRequest,
  type HttpResponse,
  type JsonResponse,
  type Wait,
  writeResponse,
} from '@lead-distribution/http'
import { sandboxPath } from '@lead-distribution/simulator/paths'

/** The refusal of a request that the sandbox has no room for. Nothing of it was done. */
export const overloaded: JsonResponse = {
  status: 503,
  body: { error: 'overloaded', message: 'The sandbox has too many requests in flight. Send this one again later.' },
  headers: { 'retry-after': '1' },
}

/** How many requests are in flight at once, those that wait for a commit among them; not those that wait for an event. */
export const maxRequests = 4_096

/** What an operator looks at while all else is refused. */
const probe = new RegExp(`^${sandboxPath}/(?:health|metrics)(?![^/?])`)

/** Requests in flight, of which there is a bounded number. */
export interface BoundedHandler {
  handle(request: HttpRequest): Promise<HttpResponse>
  /** How many requests were refused so far. */
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
