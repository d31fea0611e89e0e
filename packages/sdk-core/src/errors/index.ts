export * from './aborted-error.ts'
export * from './auth-error.ts'
export * from './bad-request-error.ts'
export * from './config-error.ts'
export {
  type ErrorFacts,
  LeadSdkError,
  type LeadSdkErrorCode,
  type Sent,
} from './lead-sdk-error.ts'
export * from './not-sent-error.ts'
export * from './outcome-unknown-error.ts'
export * from './protocol-error.ts'
export * from './rate-limit-error.ts'
export * from './server-error.ts'
export * from './validation-error.ts'
