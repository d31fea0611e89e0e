// The exports of both SDKs. Other types of public signatures are aliases marked `@inline`: see the README.
export type { CallAttempt, CallMeta } from './call/call.ts'
export type { CallEvent } from './call/call-events.ts'
export type { Fetch } from './call/send-request.ts'
export {
  AbortedError,
  AuthError,
  BadRequestError,
  ConfigError,
  LeadSdkError,
  NotSentError,
  OutcomeUnknownError,
  ProtocolError,
  RateLimitError,
  ServerError,
  ValidationError,
} from './errors/index.ts'
export type { ClientOptions } from './settings/client-options.ts'
