// What users of either SDK meet; each SDK exports all of it as its own.
export type { BackOff } from './call/back-off.ts'
export type { CallAttempt } from './call/call-attempt.ts'
export type { CallEvent, CallEventListener } from './call/call-event.ts'
export type { CallMeta, ReplyMeta } from './call/call-meta.ts'
export type { Fetch } from './call/exchange.ts'
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
export type { Open } from './open.ts'
export type { ApiKey } from './settings/api-key.ts'
export type {
  CallLimits,
  CallOptions,
  ClientOptions,
  ServiceAddress,
  SharedOptions,
} from './settings/client-options.ts'
export type { Environment } from './settings/environment.ts'
