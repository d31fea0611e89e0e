/** A callback as the publisher got it. */
export interface ReceivedCallback {
  /** When it came, milliseconds since 1970. */
  readonly at: number
  /** When its sender hung up without an answer, milliseconds since 1970; undefined if it did not, or not yet. */
  readonly hungUpAt?: number | undefined
  /** HTTP method. */
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body; a callback should have none. */
  readonly body: string
}

/** What the listener answers a callback with: a status, or nothing until the sender hangs up. */
export type CallbackAnswer = number | 'hang'

/** The publisher's end of the callbacks. */
export interface Callbacks {
  /** Where they go: the target's callback URL of this publisher. */
  readonly url: string
  /** Every try that came for a lead, in its order. */
  of(lead_id: string): readonly ReceivedCallback[]
  /** The first try for a lead (of an event), once it came; undefined where the patience ended before. */
  wait(lead_id: string, event?: string): Promise<ReceivedCallback | undefined>
  /**
   * Sets what the tries for a lead are answered with, one after the other; then 200 again. A redirect leads to the same
   * host. Tries that hang are let go.
   */
  answer(lead_id: string, answers: readonly CallbackAnswer[]): void
  /**
   * Runs what waits for callbacks, one after the other: a service may hold all of them up behind one that hangs. What
   * is run must not wait for its turn again.
   */
  inTurn<Result>(run: () => Promise<Result>): Promise<Result>
}

/** A parameter of a callback's query; undefined where it is not there, or not just once. */
export function callbackParameter({ target }: ReceivedCallback, name: string): string | undefined {
  const values = new URLSearchParams(target.split('?')[1]).getAll(name)
  return values.length === 1 ? values[0] : undefined
}
