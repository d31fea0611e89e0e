import type { LeadSdkError } from '../errors/lead-sdk-error.ts'
import { quietly } from '../quietly.ts'
import type { CallAttempt } from './call-attempt.ts'
import type { CallEvent, CallEventListener } from './call-event.ts'
import type { CallMeta } from './call-meta.ts'
import type { CallName } from './retry-table.ts'

type Told = CallEvent extends infer Event ? (Event extends CallEvent ? Omit<Event, keyof Base> : never) : never
type Base = Pick<CallEvent, 'callId' | 'call' | 'attempt'>

/** How far a call has come; makes its `meta` and tells its events. */
export interface Progress {
  attempt: CallAttempt
  /** Milliseconds since the call began, on a clock that nobody sets. */
  elapsed(): number
  /** Notes that the request is sent once more. */
  sends(method: string): void
  /** Notes a reply, and the headers of it that may be told. */
  replied(status: number, headers: Record<string, string>): void
  meta(): CallMeta
  tell(event: Told): void
  /** Tells of the fault that the call ends with, and gives it back. */
  fails(error: LeadSdkError): LeadSdkError
}

/** Begins to follow a call. */
export function followCall(call: CallName, listener: CallEventListener | undefined): Progress {
  const tellListener = quietly(listener)
  const attempt = { callId: crypto.randomUUID(), at: new Date().toISOString() }
  const began = performance.now()
  let attempts = 0
  let last: Pick<CallMeta, 'status' | 'headers'> = { status: null, headers: {} }
  const none = last
  const elapsed = () => performance.now() - began
  const ms = () => Math.round(elapsed())
  const tell = (event: Told) => tellListener({ callId: attempt.callId, call, attempt: attempts, ...event } as CallEvent)
  return {
    attempt,
    elapsed,
    tell,
    sends(method) {
      attempts += 1
      last = none
      tell({ type: 'attempt', method })
    },
    replied(status, headers) {
      last = { status, headers }
      tell({ type: 'reply', status, ms: ms() })
    },
    meta: () => ({ ...last, attempts, callId: attempt.callId, ms: ms() }),
    fails(error) {
      tell({ type: 'failure', code: error.code, sent: error.sent, ms: ms() })
      return error
    },
  }
}
