import type { LeadSdkErrorCode, Sent } from '../errors/lead-sdk-error.ts'
import type { CallName } from './retry-table.ts'

/** What every event of a call carries. */
export interface EventBase {
  /** Id of the call, the same in all its events and in its `meta`. */
  callId: string
  /** The operation. */
  call: CallName
  /** Which attempt of the call, from 1; 0 where it failed before the first. */
  attempt: number
}

/** What a client tells while it works, for logs and metrics. Holds no key, no token, no URL and no body. */
export type CallEvent =
  | (EventBase & { type: 'attempt'; method: string })
  | (EventBase & { type: 'reply'; status: number; ms: number })
  | (EventBase & { type: 'retry'; reason: string; delayMs: number })
  | (EventBase & { type: 'failure'; code: LeadSdkErrorCode; sent: Sent; ms: number })

/** Takes the events of a client. What it throws is ignored: a log must not break a call. */
export type CallEventListener = (event: CallEvent) => void
