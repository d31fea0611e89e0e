/**
 * Report the status of leads, by JSON request or by postback URL.
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
export { type Advertiser, type AdvertiserOptions, createAdvertiser, type ReportOptions } from './advertiser.ts'
export { type Postback, PostbackUrl } from './postback-url.ts'
export type {
  EventReported,
  EventResult,
  StatusReport,
  StatusReported,
  StatusResult,
  UnrecognizedReport,
  Vocabulary,
} from './report.ts'
