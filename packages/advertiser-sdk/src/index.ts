/**
 * Report the status of leads, by JSON call or by postback URL.
 * @module @lead-distribution/advertiser-sdk
 */

export {
  type FieldIssue,
  type PixelEvent,
  pixelEvents,
  type UsageEvent,
  usageEvents,
} from '@lead-distribution/contract'
export * from '@lead-distribution/sdk-core/public'
export {
  type Advertiser,
  type AdvertiserOptions,
  createAdvertiser,
  type ReportOptions,
  type StatusReport,
} from './advertiser.ts'
export { type Postback, PostbackUrl, postbackImage } from './postback-url.ts'
export type { EventReported, EventResult, StatusReported, StatusResult, UnrecognizedReport } from './report.ts'
export { createTokenCheck, type TokenCheck, type TokenCheckOptions } from './token-check.ts'
export type { Vocabulary } from './vocabulary.ts'
