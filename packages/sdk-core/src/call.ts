import type { CallMeta, LeadSdkError } from './errors.ts'

/** The operations that a client calls. */
export type CallName = 'submitLead' | 'reportStatus' | 'reportEvent'

/** The options that every call accepts. */
export interface CallOptions {
  /**
   * Time limit of one attempt, from connecting to the end of the body, in milliseconds. Default: 30000. After a
   * time-out, the request may have been processed, so the outcome of a submission is unknown.
   */
  timeoutMs?: number | undefined
  /**
   * Time limit of the whole call, including the `apiKey` function, retries and waits, in milliseconds. Default: none.
   * The client doesn't start a wait that would exceed it, and sends nothing after it.
   */
  deadlineMs?: number | undefined
  /** Maximum number of retries when a retry is safe. `0` disables retries. Default: 2. */
  maxRetries?: number | undefined
  /** Aborts the call. Takes precedence over every time limit. */
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
  /** Called before the next method is tried, whatever its response turns out to be. */
  onNextMethod?: (method: string) => void
  /** Path relative to the base URL, or the full URL of a pixel as text. */
  to: { path: string } | { url: string }
  /** The body, as JSON text. */
  body?: string
  /** True to send the API key. */
  withKey: boolean
  /**
   * The credential that a `401` rejects and the remedy, as the end of "The service does not accept the …". Default: the
   * API key.
   */
  credential?: string
  /** Returns what else to check after a `404` or `405`, besides the base URL. */
  alsoCheck?: (status: number) => string
  /** Returns true if an error response counts as an outcome of this call. */
  isOutcome?: (status: number, body: Record<string, unknown>) => boolean
  /**
   * Set to false to not retry after an attempt that may have been processed. Default: true. A submission is never
   * retried then.
   */
  retryUnknownOutcome?: boolean
  options?: CallOptions | undefined
}

/** The result of a call. */
export interface CallResult {
  /** HTTP status. */
  status: number
  /** The JSON object of the response. */
  body: Record<string, unknown>
  meta: CallMeta & { status: number }
  /** True if the runtime itself may have resent the request. */
  mayBeResent: boolean
}

/** The fields of every event of a call. @inline */
export type EventBase = {
  /** Id of the call, the same in all its events and its `meta`. */
  callId: string
  /** The operation. */
  call: CallName
  /** Number of the attempt, from 1; 0 if the call failed before the first. */
  attempt: number
}

/**
 * An event for logs and metrics. Never holds a key, token, URL or body.
 * @category Client
 */
export type CallEvent =
  | (EventBase & { type: 'attempt'; method: string })
  | (EventBase & { type: 'reply'; status: number; ms: number })
  | (EventBase & { type: 'retry'; reason: string; delayMs: number })
  | (EventBase & { type: 'failure'; code: LeadSdkError['code']; sent: LeadSdkError['sent']; ms: number })

/** Receives a client's events. Errors that it throws are ignored: a log must not break a call. @inline */
export type CallEventListener = (event: CallEvent) => void

type EventDetails = CallEvent extends infer Event
  ? Event extends CallEvent
    ? Omit<Event, keyof EventBase>
    : never
  : never

/** The progress of one call. Creates its `meta` and its events. */
export class CallProgress {
  readonly callId: string = crypto.randomUUID()
  readonly at = new Date().toISOString()
  /** True while a request is in flight. */
  inFlight = false
  readonly #call: CallName
  readonly #report: CallEventListener
  readonly #began = performance.now()
  #attempts = 0
  #last: Pick<CallMeta, 'status' | 'headers'> = { status: null, headers: {} }

  constructor(call: CallName, listener: CallEventListener | undefined) {
    this.#call = call
    this.#report = safeListener(listener)
  }

  /** Milliseconds since the call began. Monotonic. */
  elapsed(): number {
    return performance.now() - this.#began
  }

  /** Reports that a request is being sent. */
  attempted(method: string): void {
    this.inFlight = true
    this.#attempts += 1
    this.#last = { status: null, headers: {} }
    this.#emit({ type: 'attempt', method })
  }

  /** Reports a response with its loggable headers. */
  responded(status: number, headers: Record<string, string>): void {
    this.inFlight = false
    this.#last = { status, headers }
    this.#emit({ type: 'reply', status, ms: this.meta().ms })
  }

  /** Reports the wait before the next attempt. */
  retries(reason: string, delayMs: number): void {
    this.inFlight = false
    this.#emit({ type: 'retry', reason, delayMs: Math.round(delayMs) })
  }

  /** Reports the error that ends the call. */
  failed({ code, sent }: LeadSdkError): void {
    this.#emit({ type: 'failure', code, sent, ms: this.meta().ms })
  }

  meta(): CallMeta {
    return { ...this.#last, attempts: this.#attempts, callId: this.callId, ms: Math.round(this.elapsed()) }
  }

  #emit(details: EventDetails): void {
    this.#report({ callId: this.callId, call: this.#call, attempt: this.#attempts, ...details })
  }
}

/** Wraps a listener so that its errors, thrown or rejected, are ignored: a log must not break a call. */
export function safeListener<Event>(listener: ((event: Event) => void) | undefined): (event: Event) => void {
  return event => {
    try {
      const returned: unknown = listener?.(event)
      if (returned instanceof Promise) returned.catch(() => {})
    } catch {
      // Ignored: see above.
    }
  }
}
