/**
 * Report the status of leads, by JSON call or by postback URL.
 * @module @lead-distribution/advertiser-sdk
 */

export {
  convertedStatus,
  type ErrorCode,
  type ErrorResponse,
  type EventName,
  type EventOutcome,
  type EventReply,
  type EventReport,
  type FieldIssue,
  type PixelEvent,
  pixelEvents,
  type StatusMetadata,
  type StatusReply,
  type StatusUpdate,
  type TokenFormat,
  type UsageEvent,
  usageEvents,
} from '@lead-distribution/contract'
export * from '@lead-distribution/sdk-core/public'
export {
  type Advertiser,
  type AdvertiserChanges,
  type AdvertiserOptions,
  createAdvertiser,
  type ReportOptions,
  type StatusMethod,
  type StatusReport,
} from './advertiser.ts'
export { postbackImage } from './postback-image.ts'
export { type Postback, PostbackUrl } from './postback-url.ts'
export type { EventReported, EventResult, StatusReported, StatusResult, UnrecognizedReport } from './report-result.ts'
export { createTokenCheck, type LeadToken, type TokenCheck, type TokenCheckOptions } from './token-check.ts'
export type { EventOf, StatusOf, Vocabulary } from './vocabulary.ts'
