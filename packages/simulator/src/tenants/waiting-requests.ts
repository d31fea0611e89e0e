import type { Refusal, Wait } from '@lead-distribution/http'

/** A bounded number of waits. Each ends when its caller disconnects. */
export interface WaitingRequests {
  /** Runs a request's wait unless the limit is reached; then returns undefined. `wait` is the request's own, if any. */
  run<Result>(wait: Wait | undefined, run: (gone?: AbortSignal) => Promise<Result>): Promise<Result> | undefined
  count(): number
}

/** Creates a limit of `max` waiting requests. */
export function createWaitingRequests(max: number): WaitingRequests {
  let waiting = 0
  return {
    run(wait, run) {
      if (waiting >= max) return undefined
      waiting += 1
      return (wait ? wait(run) : run()).finally(() => {
        waiting -= 1
      })
    },
    count: () => waiting,
  }
}

/** The maximum number of a tenant's requests that wait for a callback. Each checks after every delivery. */
export const maxCallbackWaits = 100

/** The maximum number of a tenant's requests that faults delay at once. */
export const maxDelayedRequests = 1_000

/** Refuses a request because the maximum number of requests is already waiting. */
export function tooManyAtOnce(message: string): Refusal {
  return { status: 429, headers: { 'retry-after': '1' }, body: { error: 'too_many_requests', message } }
}
