export {
  type ErrorFacts,
  LeadSdkError,
  type LeadSdkErrorCode,
  type Sent,
} from './lead-sdk-error.ts'
export * from './lost-reply-errors.ts'
export * from './reply-errors.ts'
export * from './unsent-errors.ts'
