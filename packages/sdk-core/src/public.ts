// The public API that both SDKs share; each SDK exports all of it as its own.

export type { CallEvent, CallEventListener } from './call/call-events.ts'
export type { CallAttempt, CallMeta, Open, ReplyMeta } from './call/call-meta.ts'
export type { BackOff } from './call/retry.ts'
export type { Fetch } from './call/send-request.ts'
export {
  AbortedError,
  AuthError,
  BadRequestError,
  ConfigError,
  LeadSdkError,
  type LeadSdkErrorCode,
  NotSentError,
  OutcomeUnknownError,
  ProtocolError,
  RateLimitError,
  type Sent,
  ServerError,
  ValidationError,
} from './errors/index.ts'
export type { ApiKey } from './settings/api-key.ts'
export type {
  CallLimits,
  CallOptions,
  ClientOptions,
  SharedOptions,
} from './settings/client-options.ts'
export type { AppInfo, RequestHeaders } from './settings/request-headers.ts'
export type { Environment, ServiceAddress } from './settings/service-address.ts'
