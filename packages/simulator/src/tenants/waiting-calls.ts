import type { Refusal, Wait } from '@lead-distribution/http'

/** The calls of a tenant that wait for something to happen: so many at once at most, each no longer than its caller. */
export interface WaitingCalls {
  /** Runs a wait of a call; undefined where as many are waiting as may. `wait` is the call's own, where it has one. */
  run<Result>(wait: Wait | undefined, run: (gone?: AbortSignal) => Promise<Result>): Promise<Result> | undefined
  count(): number
}

/** The calls that wait, of which there are `max` at most. */
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

/** The maximum number of a tenant's calls that wait for a callback: each checks after every delivery. */
export const maxCallbackWaits = 100

/** The maximum number of a tenant's calls that faults delay at the same time. */
export const maxDelayedCalls = 1_000

/** Refuses a call that would wait beside as many as may at once. */
export function tooManyAtOnce(message: string): Refusal {
  return { status: 429, headers: { 'retry-after': '1' }, body: { error: 'too_many_requests', message } }
}
