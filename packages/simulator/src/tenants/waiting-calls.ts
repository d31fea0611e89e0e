import type { Refusal, Wait } from '@lead-distribution/http'

/** A bounded number of waits. Each ends when its caller disconnects. */
export interface WaitingCalls {
  /** Runs a call's wait unless the limit is reached; then returns undefined. `wait` is the call's own, if it has one. */
  run<Result>(wait: Wait | undefined, run: (gone?: AbortSignal) => Promise<Result>): Promise<Result> | undefined
  count(): number
}

/** Creates a limit of `max` waiting calls. */
export function createWaitingCalls(max: number): WaitingCalls {
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

/** The maximum number of a tenant's calls that wait for a callback. Each checks after every delivery. */
export const maxCallbackWaits = 100

/** The maximum number of a tenant's calls that faults delay at once. */
export const maxDelayedCalls = 1_000

/** Refuses a call because the maximum number of calls is already waiting. */
export function tooManyAtOnce(message: string): Refusal {
  return { status: 429, headers: { 'retry-after': '1' }, body: { error: 'too_many_requests', message } }
}
