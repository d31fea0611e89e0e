import type { CallMeta, LeadSdkError } from './errors.ts'

/** The operations that a client calls. */
export type CallName = 'submitLead' | 'reportStatus' | 'reportEvent'

/** The options of every single call. */
export interface CallOptions {
  /**
   * Time limit of one attempt, from its connection to the end of the body, milliseconds. Default 30000. When it passes, the
   * request may have been processed, so the outcome of a submission is unknown.
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
  options?: CallOptions | undefined
}

/** The result of a call. */
export interface CallResult {
  /** HTTP status. */
  status: number
  /** The JSON object of the response. */
  body: Record<string, unknown>
  meta: CallMeta & { status: number }
  /** True if the runtime may have sent the request again by itself. */
  mayBeResent: boolean
}

/** The facts that every event of a call carries. @inline */
export type EventBase = {
  /** Id of the call, the same in all its events and in its `meta`. */
  callId: string
  /** The operation. */
  call: CallName
  /** Number of the attempt, from 1; 0 if the call failed before the first. */
  attempt: number
}

/**
 * An event that a client reports for logs and metrics. Holds no key, no token, no URL and no body.
 * @category Client
 */
export type CallEvent =
  | (EventBase & { type: 'attempt'; method: string })
  | (EventBase & { type: 'reply'; status: number; ms: number })
  | (EventBase & { type: 'retry'; reason: string; delayMs: number })
  | (EventBase & { type: 'failure'; code: LeadSdkError['code']; sent: LeadSdkError['sent']; ms: number })

/** Takes the events of a client. Errors that it throws are ignored: a log must not break a call. @inline */
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

  /** Reports that a request goes out. */
  attempted(method: string): void {
    this.inFlight = true
    this.#attempts += 1
    this.#last = { status: null, headers: {} }
    this.#emit({ type: 'attempt', method })
  }

  /** Reports a response, with those of its headers that may be shown. */
  responded(status: number, headers: Record<string, string>): void {
    this.inFlight = false
    this.#last = { status, headers }
    this.#emit({ type: 'reply', status, ms: this.meta().ms })
  }

  /** Reports that the call waits for its next attempt. */
  retries(reason: string, delayMs: number): void {
    this.inFlight = false
    this.#emit({ type: 'retry', reason, delayMs: Math.round(delayMs) })
  }

  /** Reports the error that the call ends with. */
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

/** Wraps a listener so that its errors, thrown or rejected, are ignored: a log must not break what it logs. */
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
