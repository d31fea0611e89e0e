import type { CallOptions } from '../settings/client-options.ts'
import type { ReplyMeta } from './call-meta.ts'
import type { Pace } from './pace.ts'
import type { CallName } from './retry.ts'

/** One call of an SDK. */
export interface Call {
  /** The operation. */
  name: CallName
  method: string
  /** The method to try after `405` or `501`, which prove that nothing was processed. */
  nextMethod?: string
  /** Called before the next method is tried, whatever the reply to it will be. */
  onNextMethod?: (method: string) => void
  /** Path below the base address, or the whole URL of a pixel as text. */
  to: { path: string } | { url: string }
  /** The body, as JSON text. */
  body?: string
  /** Whether the API key goes along. */
  withKey: boolean
  /** What a `401` refuses and what to do, after "The service does not accept the". Default: the API key. */
  credential?: string
  /** What else to check after a `404` or `405`, besides the base URL. */
  alsoCheck?: (status: number) => string
  /** Whether an error reply is an outcome of this call after all. */
  isOutcome?: (status: number, body: Record<string, unknown>) => boolean
  /** Whether a call is sent again when it may have been processed. Default true; a submission never is. */
  retryUnknownOutcome?: boolean
  /** The pace of the run that the call belongs to. */
  pace?: Pace | undefined
  options?: CallOptions | undefined
}

/** The outcome of a call. */
export interface CallResult {
  /** HTTP status. */
  status: number
  /** The JSON object of the reply. */
  body: Record<string, unknown>
  meta: ReplyMeta
  /** The method that the service accepted. */
  method: string
  /** True if the runtime may have sent the request again by itself. */
  mayBeResent: boolean
}
