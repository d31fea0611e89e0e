/**
 * An enumeration that a newer service may have added to: the known values complete in an editor, and any other
 * text is possible.
 */
export type Open<Known extends string> = Known | (string & Record<never, never>)

/** Names one call whose outcome is unknown. Plain data: it may be stored, and it holds nothing personal. */
export interface CallAttempt {
  /** Id of the call, a UUID made by the SDK and sent as `x-request-id`. */
  callId: string
  /** When the call began, RFC 3339 in UTC. */
  at: string
}

/** What is known of a call, however it ended. Holds no key, no token and no body. */
export interface CallMeta {
  /** HTTP status of the last reply; null where there was none. */
  status: number | null
  /** The harmless headers of the last reply, names in lower case; without those that repeat what was sent. */
  headers: Readonly<Record<string, string>>
  /** How many times the request was sent, or tried to be. */
  attempts: number
  /** Id of the call, a UUID made by the SDK, the same in its events and in `x-request-id`. */
  callId: string
  /** How long the whole call took, milliseconds. */
  ms: number
}

/** What is known of a call that was answered. */
export interface ReplyMeta extends CallMeta {
  /** HTTP status of the reply. */
  status: number
}
