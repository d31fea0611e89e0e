import type { LeadSdkError } from '../errors/lead-sdk-error.ts'
import type { CallAttempt, CallMeta, CallName } from './call.ts'

/** The facts that every event of a call carries. @inline */
export type EventBase = {
  /** Id of the call, the same in all its events and in its `meta`. A `warning` has an id of its own. */
  callId: string
  /** The operation. */
  call: CallName
  /** Number of the attempt, from 1; 0 if the call failed before the first. */
  attempt: number
}

/** An event that a client reports for logs and metrics. Holds no key, no token, no URL and no body. */
export type CallEvent =
  | (EventBase & { type: 'attempt'; method: string })
  | (EventBase & { type: 'reply'; status: number; ms: number })
  | (EventBase & { type: 'retry'; reason: string; delayMs: number })
  | (EventBase & { type: 'failure'; code: LeadSdkError['code']; sent: LeadSdkError['sent']; ms: number })
  | (EventBase & { type: 'warning'; message: string })

/** Takes the events of a client. Errors that it throws are ignored: a log must not break a call. @inline */
export type CallEventListener = (event: CallEvent) => void

type EventDetails = CallEvent extends infer Event
  ? Event extends CallEvent
    ? Omit<Event, keyof EventBase>
    : never
  : never

/** The progress of one call. Creates its `meta` and its events. */
export interface CallProgress {
  attempt: CallAttempt
  /** Milliseconds since the call began, on a monotonic clock. */
  elapsed(): number
  /** Counts and reports an attempt. */
  attempted(method: string): void
  /** Reports a response, with those of its headers that may be shown. */
  responded(status: number, headers: Record<string, string>): void
  /** Reports that the call waits for its next attempt. */
  retries(reason: string, delayMs: number): void
  /** Reports the error that the call ends with. */
  failed(error: LeadSdkError): void
  meta(): CallMeta
}

/** Starts to follow a call. */
export function followCall(call: CallName, listener: CallEventListener | undefined): CallProgress {
  const report = safeListener(listener)
  const attempt = { callId: crypto.randomUUID(), at: new Date().toISOString() }
  const began = performance.now()
  let attempts = 0
  let last: Pick<CallMeta, 'status' | 'headers'> = { status: null, headers: {} }
  const none = last
  const elapsed = () => performance.now() - began
  const ms = () => Math.round(elapsed())
  const emit = (details: EventDetails) => report({ callId: attempt.callId, call, attempt: attempts, ...details })
  return {
    attempt,
    elapsed,
    attempted(method) {
      attempts += 1
      last = none
      emit({ type: 'attempt', method })
    },
    responded(status, headers) {
      last = { status, headers }
      emit({ type: 'reply', status, ms: ms() })
    },
    retries: (reason, delayMs) => emit({ type: 'retry', reason, delayMs: Math.round(delayMs) }),
    meta: () => ({ ...last, attempts, callId: attempt.callId, ms: ms() }),
    failed: ({ code, sent }) => emit({ type: 'failure', code, sent, ms: ms() }),
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
