export type * from '@lead-distribution/contract'
export { convertedStatus, pixelEvents, usageEvents } from '@lead-distribution/contract'
export {
  AbortedError,
  type ApiKey,
  AuthError,
  type BackOff,
  BadRequestError,
  type CallAttempt,
  type CallEvent,
  type CallEventListener,
  type CallLimits,
  type CallMeta,
  type CallOptions,
  type ClientOptions,
  ConfigError,
  type Environment,
  type Fetch,
  LeadSdkError,
  type LeadSdkErrorCode,
  NotSentError,
  type Open,
  OutcomeUnknownError,
  ProtocolError,
  RateLimitError,
  type ReplyMeta,
  type Sent,
  ServerError,
  type ServiceAddress,
  type SharedOptions,
  ValidationError,
} from '@lead-distribution/sdk-core'
export {
  type Advertiser,
  type AdvertiserOptions,
  createAdvertiser,
  type Postback,
  type ReportOptions,
  type StatusMethod,
  type StatusReport,
} from './advertiser.ts'
export { PostbackUrl } from './postback-url.ts'
export type { EventReported, EventResult, StatusReported, StatusResult, UnrecognizedReport } from './report-result.ts'
export type { EventOf, StatusOf, Vocabulary } from './vocabulary.ts'
