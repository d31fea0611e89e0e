// What a runtime reports about the network. Browsers and edge runtimes report nothing; Node, Bun and Deno have
// `node-network.ts` instead.

/** The header that carries the id of a call. The service may log it, and Node's reports are recognised by it. */
export const callIdHeader = 'x-request-id'

/** What is reported about the requests of one call. */
export interface RequestTrace {
  /** Begins to follow an attempt. `onRepeat`: Node sends its request again by itself, as it does after a `421`. */
  attempt(onRepeat: () => void): void
  /**
   * Whether nothing of the attempt was sent. Ask once its signal is aborted or its `fetch` has failed: from then on
   * nothing is sent, not even by a custom `fetch` that ignores the signal.
   */
  provesUnsent(): boolean
  /** The call is over. */
  end(): void
}

/** Follows the requests that carry the id of a call; undefined where the runtime reports nothing. */
export function traceRequests(_callId: string): RequestTrace | undefined {
  return undefined
}

/** What a network error can prove. */
export type NetworkFailure = 'not_reached' | 'unreachable' | 'reply_lost'

/** What a network error proves: nothing, so what is not known to have failed before it was sent counts as lost. */
export function kindOfError(_error: unknown): NetworkFailure {
  return 'reply_lost'
}
