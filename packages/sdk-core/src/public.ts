// The exports of both SDKs. Other types of public signatures are aliases marked `@inline`: see the README.
export type { CallEvent, CallMeta } from './call.ts'
export type { ClientOptions } from './client.ts'
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
} from './errors.ts'
export type { Fetch } from './send-request.ts'
