// The exports of both SDKs. Other types in public signatures are aliases marked `@inline`: see the README.
export type { CallEvent } from './call.ts'
export type { ClientOptions } from './client.ts'
export {
  AbortedError,
  AuthError,
  BadRequestError,
  type CallMeta,
  ConfigError,
  LeadSdkError,
  NotSentError,
  OutcomeUnknownError,
  ProtocolError,
  RateLimitError,
  ServerError,
  ValidationError,
} from './errors.ts'
export type { Fetch } from './send-request.ts'
