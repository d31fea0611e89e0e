/** Names one call whose outcome is unknown. Plain data: it may be stored, and it holds nothing personal. */
export interface CallAttempt {
  /** Id of the call, a UUID of ours; the service does not know it. */
  callId: string
  /** When the call began, RFC 3339 in UTC. */
  at: string
}
