import type { Pace } from './pace.ts'

/** The operations that a client calls. */
export type CallName = 'submitLead' | 'reportStatus' | 'reportEvent'

/** The options of every single call. */
export interface CallOptions {
  /**
   * Time limit of one attempt, from its connection to the end of the body, milliseconds. Default 30000.
   *
   * Node reports whether the connection was established: if it wasn't, nothing was sent, and the SDK retries. Other
   * runtimes don't, so there a time-out leaves the outcome of a submission unknown.
   */
  timeoutMs?: number | undefined
  /**
   * Time limit of the whole call, including the `apiKey` function, retries and waits, milliseconds. Default: none. The
   * client begins no wait that would exceed it, and sends nothing after it.
   */
  deadlineMs?: number | undefined
  /** The number of retries of a call if a repeat is safe. `0` means none. Default 2. */
  maxRetries?: number | undefined
  /** Ends the call. Takes precedence over every time limit. */
  signal?: AbortSignal | undefined
  /** Additional headers of this call. They override the client's. */
  headers?: Readonly<Record<string, string | undefined>> | undefined
}

/** One call of an SDK. */
export interface Call {
  /** The operation. */
  name: CallName
  method: string
  /** The method to try after `405` or `501`, which prove that nothing was processed. */
  nextMethod?: string
  /** Called before the next method is tried, whatever the response to it will be. */
  onNextMethod?: (method: string) => void
  /** Path below the base address, or the whole URL of a pixel as text. */
  to: { path: string } | { url: string }
  /** The body, as JSON text. */
  body?: string
  /** True to send the API key. */
  withKey: boolean
  /** The credential that a `401` refuses and what to do, after "The service does not accept the". Default: the API key. */
  credential?: string
  /** Names what else to check after a `404` or `405`, besides the base URL. */
  alsoCheck?: (status: number) => string
  /** Returns true if an error response is an outcome of this call after all. */
  isOutcome?: (status: number, body: Record<string, unknown>) => boolean
  /** False to not repeat a call that may have been processed. Default true; a submission is never repeated then. */
  retryUnknownOutcome?: boolean
  /** The pace of the run that the call belongs to. */
  pace?: Pace | undefined
  options?: CallOptions | undefined
}

/** The result of a call. */
export interface CallResult {
  /** HTTP status. */
  status: number
  /** The JSON object of the response. */
  body: Record<string, unknown>
  meta: CallMeta & { status: number }
  /** The method that the service accepted. */
  method: string
  /** True if the runtime may have sent the request again by itself. */
  mayBeResent: boolean
}

/** Identifies one call whose outcome is unknown. Plain data that you can store; it holds nothing personal. */
export interface CallAttempt {
  /** Id of the call, a UUID made by the SDK and sent as `x-request-id`. */
  callId: string
  /** The time when the call began, RFC 3339 in UTC. */
  at: string
}

/** The facts of a call, however it ended. Holds no key, no token and no body. */
export interface CallMeta {
  /** HTTP status of the last response; null if there was none. */
  status: number | null
  /** The harmless headers of the last response, names in lower case, without those that repeat what was sent. */
  headers: Readonly<Record<string, string>>
  /** The number of attempts to send the request. */
  attempts: number
  /** Id of the call, a UUID made by the SDK, the same in its events and in `x-request-id`. */
  callId: string
  /** Duration of the whole call, milliseconds. */
  ms: number
}
