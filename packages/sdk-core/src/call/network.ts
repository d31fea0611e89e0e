// What a runtime reports about the network. Browsers and edge runtimes report nothing; Node, Bun and Deno load
// `node-network.ts` instead.

/** The header that carries the id of a call. The service may log it, and it identifies the requests that Node reports. */
export const callIdHeader = 'x-request-id'

/** Follows the requests of one call. */
export interface RequestTrace {
  /** Starts an attempt. Calls `onRepeat` when Node sends its request again by itself, as it does after a `421`. */
  attempt(onRepeat: () => void): void
  /**
   * Returns true if nothing of the attempt was sent. Call it once the signal is aborted or `fetch` has failed: from then on
   * nothing is sent, not even by a custom `fetch` that ignores the signal.
   */
  provesUnsent(): boolean
  /** Ends the call. */
  end(): void
}

/** Starts to follow the requests that carry the id of a call; undefined if the runtime reports nothing. */
export function traceRequests(_callId: string): RequestTrace | undefined {
  return undefined
}

/** The conclusions that a network error allows. */
export type NetworkFailure = 'not_reached' | 'unreachable' | 'reply_lost'

/** Judges a network error. Here it proves nothing, so the reply counts as lost. */
export function kindOfError(_error: unknown): NetworkFailure {
  return 'reply_lost'
}
